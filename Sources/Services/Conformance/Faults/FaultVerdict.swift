/// How a case that did nothing wrong ended under faults.
public enum FaultVerdict: Sendable, Hashable {
    /// Whatever happened, the requirement was met.
    case passed
    /// A call failed with this error, which the protocol documents for such failures.
    case gaveUp(String)
    /// It was not tried, for this reason.
    case skipped(String)
}

/// Thrown where faults keep a case from going on: by requirements, and by a harness that cannot do its part.
///
/// Without faults it fails the case as any other error does.
public struct GaveUp: Error, Hashable, CustomStringConvertible {
    /// What failed.
    public var reason: String

    /// Makes one with its reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}
