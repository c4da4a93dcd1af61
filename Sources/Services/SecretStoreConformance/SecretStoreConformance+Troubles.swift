import Conformance
import Services

extension SecretStoreConformance {
    /// What a store does that cannot do what it should.
    static let troubles: [Case] = [
        Case(
            "trouble.readOnly",
            "a store that cannot be changed says so, and stays as it is",
            holding: ["a": "first"],
            unless: .changes
        ) { trial in
            for value in [Secret("second"), nil] {
                let error = try trial.failing("a change is refused") {
                    try trial.store.set(value, named: "a")
                }
                try checkDescription(of: error, hides: "second")
            }
            try trial.expect("first", "a")
        },
        Case(
            "trouble.reading",
            "a store that fails throws, and does not answer nil",
            holding: ["a": "the-first-value"],
            needs: [.fails]
        ) { trial in
            try await trial.breakDown()
            for name in ["a", "absent"] {
                let error = try trial.failing("a failure is no absence") {
                    _ = try trial.store.secret(named: name)
                }
                try checkDescription(of: error, hides: "the-first-value")
            }
            try await trial.heal()
            try trial.expect("the-first-value", "a")
        },
        Case(
            "trouble.changing",
            "a change that fails throws, and leaves what was there",
            holding: ["a": "the-first-value"],
            needs: [.changes, .fails]
        ) { trial in
            try await trial.breakDown()
            for value in [Secret("the-second-value"), nil] {
                let error = try trial.failing("a change that fails is reported") {
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
        try require(error.description.count > 10, "an error says what is wrong", saw: error.description)
        let isHidden = ![error.description, String(reflecting: error)].contains { $0.contains(value) }
        try require(isHidden, "no error contains a secret", saw: "one, in an error")
    }
}
