extension DriftCheck {
    /// How a reference and the implementation differ in a case that both have tried.
    public struct Difference: Codable, Sendable, Hashable, CustomStringConvertible {
        /// Which of both meets the requirement.
        public enum Direction: String, Codable, Sendable {
            /// The implementation alone: what the reference does wrong never happens in it, and apps are not tried with that.
            case stricter
            /// The reference alone: what goes wrong in the implementation never happens there.
            case laxer
            /// Neither, and each in its own way.
            case otherwise
        }

        /// What the reference is called.
        public var reference: String
        /// Which of both meets the requirement.
        public var direction: Direction
        /// How the reference ended, as a half sentence.
        public var there: String
        /// How the implementation ended, as a half sentence.
        public var here: String
        /// Why it may differ; `nil` where that is not known.
        public var known: String?

        /// Both ends, as one line.
        public var description: String {
            let word = direction == .otherwise ? "other than" : "\(direction.rawValue) than"
            return "\(word) \(reference): there \(there), here \(here)"
                + (known.map { "; known: \($0)" } ?? "")
        }

        /// `nil` where they do not differ, or one of them has not tried the case.
        init?(of test: SuiteResult.Case, from reference: SuiteResult, known: [KnownDrift]) {
            guard let other = reference.cases.first(where: { $0.id == test.id }), test.isTried, other.isTried,
                test.result != other.result || test.reason != other.reason
            else { return nil }
            self.reference = reference.implementation
            direction = test.result == other.result ? .otherwise : test.result == .passed ? .stricter : .laxer
            (there, here) = (other.ending, test.ending)
            self.known =
                known.first { $0.reference == reference.implementation && $0.cases.contains(test.id) }?.reason
        }
    }
}

extension SuiteResult.Case {
    /// Whether it was tried, so that something is known.
    var isTried: Bool { result != .skipped }

    /// How it ended and why, as a half sentence.
    var ending: String { result.rawValue + (reason.map { " (\($0))" } ?? "") }
}
