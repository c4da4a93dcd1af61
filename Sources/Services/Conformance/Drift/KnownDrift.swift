/// Cases in which a reference is known to differ, and why that is as it should be.
///
/// A list of them goes with a ``DriftCheck``, which names those that no longer differ.
public struct KnownDrift: Codable, Sendable, Hashable {
    /// What the reference is called in its result.
    public var reference: String
    /// The identifiers of the cases.
    public var cases: [String]
    /// Why they may differ.
    public var reason: String

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - reference: What the reference is called in its result.
    ///   - cases: The identifiers of the cases.
    ///   - reason: Why they may differ.
    public init(reference: String, cases: [String], reason: String) {
        (self.reference, self.cases, self.reason) = (reference, cases, reason)
    }
}
