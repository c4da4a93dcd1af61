/// A property that a store violated.
public struct ConformanceFailure: Error, Hashable, CustomStringConvertible {
    /// What the protocol requires.
    public var expected: String
    /// What the store did.
    public var saw: String

    /// Makes a failure from two half sentences.
    public init(_ expected: String, saw: String) {
        self.expected = expected
        self.saw = saw
    }

    /// Both halves as one sentence.
    public var description: String { "expected that \(expected); saw \(saw)" }
}
