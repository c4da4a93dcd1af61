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

/// Thrown by a case that finds out only while it runs that the subject lacks what it needs.
public struct CaseSkipped: Error, Hashable {
    /// What is lacking.
    public var reason: String

    /// Makes one with its reason.
    public init(_ reason: String) { self.reason = reason }
}
