/// How many entries of an ``Outbox`` are in which state.
public struct OutboxCounts: Sendable, Hashable {
    /// Those that wait for their turn.
    public var pending: Int
    /// Those that are being done.
    public var inWork: Int
    /// Those that are done and not recorded yet.
    public var done: Int
    /// Those that have failed and are tried again by themselves, sooner or later.
    public var failed: Int
    /// Those that have failed for good, and are done again only on request.
    public var final: Int

    /// Makes a value of its parts; none of each by default.
    public init(pending: Int = 0, inWork: Int = 0, done: Int = 0, failed: Int = 0, final: Int = 0) {
        (self.pending, self.inWork, self.done) = (pending, inWork, done)
        (self.failed, self.final) = (failed, final)
    }

    /// Those that are still to come to an end by themselves: all but ``final``.
    public var unsettled: Int { pending + inWork + done + failed }
}
