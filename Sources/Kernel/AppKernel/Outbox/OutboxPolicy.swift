public import Concurrency

/// How often and how soon work of one kind is tried, for how long it is wanted, and how many of it are done at once.
public struct OutboxPolicy: Sendable, Hashable {
    /// What becomes of work whose automatic repetitions are used up.
    public enum Exhaustion: Sendable, Hashable {
        /// It stays in its lane until the outage is over: until another entry succeeds, the queue is opened or revived, or a time has
        /// passed; then its repetitions begin again. `nil` for no such time.
        case waits(atMost: Duration?)
        /// It has failed, and its lane goes on; it is done again only on request.
        case fails
    }

    /// Automatic repetitions of what fails for a passing reason; those of work that comes further begin again, see
    /// ``OutboxAttempt/save(_:progress:)``.
    public var retries: RetryPolicy
    /// What becomes of work whose repetitions are used up.
    public var exhaustion: Exhaustion
    /// How long after its adding an attempt may begin; later it has failed.
    ///
    /// `nil` for no limit.
    public var expiry: Duration?
    /// How long an attempt may go on without saving a checkpoint or renewing; then it is cancelled and repeated.
    ///
    /// `nil` for no limit.
    public var patience: Duration?
    /// How many entries of this kind are in work at the same time, each in another lane; at least one.
    public var concurrency: Int
    /// How long an entry that has failed for good is kept, counted from its failure; the worker removes it then, or the next opening.
    ///
    /// `nil` until it is removed on request.
    public var retention: Duration?
    /// How many entries of this kind that have failed for good are kept: those that failed last.
    ///
    /// `nil` for no limit; negative numbers count as zero.
    public var retained: Int?

    /// Makes a policy; by default three repetitions after 1, 2 and 4 seconds, again ten minutes later, one entry at a time.
    public init(
        retries: RetryPolicy = RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4)),
        exhaustion: Exhaustion = .waits(atMost: .seconds(600)),
        expiry: Duration? = nil,
        patience: Duration? = nil,
        concurrency: Int = 1,
        retention: Duration? = nil,
        retained: Int? = nil
    ) {
        self.retries = retries
        self.exhaustion = exhaustion
        self.expiry = expiry
        self.patience = patience
        self.concurrency = max(1, concurrency)
        self.retention = retention
        self.retained = retained.map { max(0, $0) }
    }
}
