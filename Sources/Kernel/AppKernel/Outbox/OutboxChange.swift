/// A step in the life of an entry, as watchers of an ``Outbox`` see it.
public struct OutboxChange<Work: OutboxWork>: Sendable, Hashable {
    /// What has become of the entry.
    public enum Event: Sendable, Hashable {
        case pending
        case started
        case done
        /// `retriesItself` tells that another attempt is planned.
        case failed(OutboxReason<Work.Failure>, failures: Int, retriesItself: Bool)
        /// The entry has left the queue, done or dropped.
        case removed
    }

    /// What the entry is about.
    public var identity: String
    /// What has become of it.
    public var event: Event

    /// Creates a change.
    public init(identity: String, event: Event) {
        self.identity = identity
        self.event = event
    }
}
