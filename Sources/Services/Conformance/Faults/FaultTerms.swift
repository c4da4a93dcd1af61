/// What a case may do where the world fails: each suite states it for its protocol.
public struct FaultTerms: Sendable {
    /// Why the case says nothing of a world that fails, as where it brings about a failure of its own; `nil` where it does.
    public var calmBecause: String?
    /// Whether the protocol documents an error as one that the faults of a network may bring about.
    public var excuses: @Sendable (any Error) -> Bool

    /// Makes terms.
    ///
    /// - Parameters:
    ///   - calmBecause: Why the case is skipped under faults.
    ///   - excuses: Which errors end a case without failing it; none where it is left out.
    public init(calmBecause: String? = nil, excuses: @escaping @Sendable (any Error) -> Bool = { _ in false })
    {
        (self.calmBecause, self.excuses) = (calmBecause, excuses)
    }
}
