import Conformance
import Services

extension PreferenceStoreConformance {
    /// What a store does that cannot do what it should.
    static let troubles: [Case] = [
        Case(
            "trouble.reading",
            "a store that fails throws, and does not answer nil",
            holding: ["a": "first"],
            needs: [.fails]
        ) { trial in
            try await trial.breakDown()
            for name in ["a", "absent"] {
                let error = try trial.failing("a failure is no absence") {
                    _ = try trial.store.value(for: name)
                }
                try require(
                    error.detail.count > 5,
                    "an error says what is wrong",
                    saw: "“\(error.detail)”"
                )
            }
            try await trial.heal()
            try trial.expect(["a": "first"], "what was there is there again")
        },
        Case(
            "trouble.changing",
            "a change that fails throws, and leaves all that was there",
            holding: ["a": "first", "b": "second"],
            needs: [.fails]
        ) { trial in
            try await trial.breakDown()
            for values in [["a": "changed"], ["a": "changed", "b": nil, "c": "new"]] as [[String: String?]] {
                let error = try trial.failing("a change that fails is reported") {
                    try trial.store.set(values)
                }
                try require(
                    error.detail.count > 5,
                    "an error says what is wrong",
                    saw: "“\(error.detail)”"
                )
            }
            try await trial.heal()
            try trial.expect(
                ["a": "first", "b": "second", "c": nil],
                "a change that failed has changed nothing"
            )
        },
    ]
}
