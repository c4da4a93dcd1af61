/// A requirement that an implementation did not meet.
///
/// Every conformance suite throws it, so that any test framework can run the suite, and a command too.
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
    /// What the protocol requires.
    public var expected: String
    /// What the implementation did.
    public var saw: String

    /// Makes a failure from two half sentences.
    public init(_ expected: String, saw: String) {
        self.expected = expected
        self.saw = saw
    }

    /// Both halves as one sentence.
    public var description: String { "expected that \(expected); saw \(saw)" }
}

/// How a case that did not fail ended.
public enum ConformanceOutcome: Sendable, Hashable {
    case passed
    /// The implementation, or its harness, does not have what the case needs; with the reason.
    case notApplicable(String)
}
