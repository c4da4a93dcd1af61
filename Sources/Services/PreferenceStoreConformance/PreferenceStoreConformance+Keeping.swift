import Conformance
import Services

extension PreferenceStoreConformance {
    /// What the next program finds.
    static let keeping: [Case] = [
        Case(
            "keep.reopened",
            "what was stored, replaced and deleted is so for the next program",
            holding: ["a": "first", "b": "second", "e": ""],
            needs: [.survives]
        ) { trial in
            try trial.set(["a": nil, "b": "changed", "c": "third"])
            let reopened = try await trial.reopened()
            let kept = ["a": nil, "b": "changed", "c": "third", "e": ""]
            try reopened.expect(kept, "the next program finds what was stored")
            try reopened.set(["d": "fourth"])
            let again = try await reopened.reopened()
            try again.expect(kept, "the program after that finds it, too")
            try again.expect(["d": "fourth"], "the next program can store")
        },
        Case(
            "keep.crashed",
            "after an end at any moment a change is there as a whole or not at all, and what was confirmed is there",
            holding: state(0),
            needs: [.crashes]
        ) { trial in
            var (trial, kept, last) = (trial, 0, 0)
            for moment in 1...moments {
                let confirmed = Confirmed(kept)
                let first = last + 1
                trial = try await trial.crashed(moment) { store in
                    for number in first..<first + changesPerMoment {
                        confirmed.begin(number)
                        try store.set(state(number).mapValues(\.self))
                        confirmed.finish(number)
                    }
                }
                let found = try state(0).keys.sorted().map { try trial.read($0) }
                let (done, begun) = confirmed.numbers
                guard
                    let number = [done, begun].first(where: { number in
                        found == state(number).sorted { $0.key < $1.key }.map(\.value)
                    })
                else {
                    throw ConformanceFailure(
                        "a change is there as a whole or not at all",
                        saw:
                            "\(found.map { $0 ?? "nothing" }) at moment \(moment), after change \(done) of \(begun)"
                    )
                }
                (kept, last) = (number, max(last, begun))
            }
        },
    ]

    private static let moments = 24
    private static let changesPerMoment = 4

    /// Three values that are changed at once.
    private static func state(_ number: Int) -> [String: String] {
        ["a": "a \(number)", "b": "b \(number)", "c": "c \(number)"]
    }
}
