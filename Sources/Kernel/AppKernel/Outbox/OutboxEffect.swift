public import GRDB

/// Does the work of an ``Outbox``.
///
/// Both calls may be repeated for one entry, also after a crash in the middle; the entry's idempotency key is
/// how the other side recognises a repetition.
public protocol OutboxEffect<Work>: Sendable {
    associatedtype Work: OutboxWork

    /// Does the work; ends soon after its task was cancelled.
    func perform(_ attempt: OutboxAttempt<Work>) async -> OutboxOutcome<Work>

    /// Records a success wherever the app needs it, in the transaction in which the entry leaves the queue; until then it is done.
    ///
    /// - Throws: When it could not be recorded; it is called again later, without doing the work again.
    func record(_ receipt: Work.Receipt, of entry: OutboxEntry<Work>, in database: Database) throws
}

/// How an attempt ended.
public enum OutboxOutcome<Work: OutboxWork>: Sendable {
    /// It has taken effect.
    case done(Work.Receipt)
    /// Nothing was reached: no failure of the work, which goes on when the network is back or after a while.
    case offline
    /// Trying again may help, but not before the time that the other side asks for, if it does.
    case retry(Work.Failure, after: Duration? = nil)
    /// Trying again will not help until something is changed.
    case failed(Work.Failure)
}

extension OutboxOutcome: Equatable where Work.Receipt: Equatable {}
