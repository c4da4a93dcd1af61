import Conformance
import Services

extension SecretStoreConformance {
    /// What a store does that cannot do what it should.
    static let troubles: [Case] = [
        Case("a store that cannot be changed says so, and stays as it is") { bench in
            // Nothing to see where changes are possible; the cases of changes apply there.
            guard !bench.canChange else { return }
            let trial = try await bench.make(["a": Secret("first")])
            for value in [Secret("second"), nil] {
                let error = try trial.failing("a change is refused") { () throws(SecretStoreError) in
                    try trial.store.set(value, named: "a")
                }
                try checkDescription(of: error, hides: "second")
            }
            try trial.expect("first", "a")
        },
        Case("a store that fails throws, and does not answer nil", needs: [.fails]) { bench in
            let trial = try await bench.make(["a": Secret("the-first-value")])
            try await trial.breakDown()
            for name in ["a", "absent"] {
                let error = try trial.failing("a failure is no absence") { () throws(SecretStoreError) in
                    _ = try trial.store.secret(named: name)
                }
                try checkDescription(of: error, hides: "the-first-value")
            }
            try await trial.heal()
            try trial.expect("the-first-value", "a")
        },
        Case("a change that fails throws, and leaves what was there", needs: [.changes, .fails]) { bench in
            let trial = try await bench.make(["a": Secret("the-first-value")])
            try await trial.breakDown()
            for value in [Secret("the-second-value"), nil] {
                let error = try trial.failing("a change that fails is reported") {
                    () throws(SecretStoreError) in
                    try trial.store.set(value, named: "a")
                }
                try checkDescription(of: error, hides: "the-second-value")
            }
            try await trial.heal()
            try trial.expect("the-first-value", "a")
        },
    ]

    /// An error says something, and contains no secret.
    private static func checkDescription(of error: SecretStoreError, hides value: String) throws {
        guard error.description.count > 10 else {
            throw ConformanceFailure("an error says what is wrong", saw: error.description)
        }
        for text in [error.description, String(reflecting: error)] where text.contains(value) {
            throw ConformanceFailure("no error contains a secret", saw: "one, in an error")
        }
    }
}
