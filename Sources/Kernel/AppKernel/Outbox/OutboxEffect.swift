/// What the entries of an ``Outbox`` ask for.
///
/// Both calls may be repeated for one entry, also after a crash in the middle; the entry's idempotency key is
/// how the other side recognises a repetition.
public protocol OutboxEffect<Payload, Receipt>: Sendable {
    associatedtype Payload: Codable & Sendable
    associatedtype Receipt: Codable & Sendable

    /// Does the work.
    func perform(_ entry: OutboxEntry<Payload>) async -> OutboxOutcome<Receipt>

    /// Records a success wherever the app needs it; the entry leaves the queue only after that.
    ///
    /// - Throws: When it could not be recorded; it is called again later.
    func record(_ receipt: Receipt, of entry: OutboxEntry<Payload>) async throws
}

/// How an attempt ended.
public enum OutboxOutcome<Receipt: Sendable>: Sendable {
    case success(Receipt)
    /// Trying again may help, but not before the time that the other side asks for, if it does.
    case transientFailure(String, retryAfter: Duration? = nil)
    /// Trying again will not help until something is changed.
    case permanentFailure(String)
}

extension OutboxOutcome: Equatable where Receipt: Equatable {}
