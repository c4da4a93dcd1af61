public import Foundation

/// One piece of work in an ``Outbox``.
public struct OutboxEntry<Work: OutboxWork>: Sendable, Identifiable {
    /// Where the work stands.
    public enum State: String, Sendable, Hashable, CaseIterable, Codable {
        /// Waits for its turn.
        case pending
        /// Is being done.
        case inWork
        /// Is done; the entry leaves the queue as soon as that has been recorded.
        case done
        /// Has failed; is tried again at ``OutboxEntry/due``, or only later or on request when that is `nil`.
        case failed
    }

    /// Number in the queue, in the order of adding.
    public var id: Int64
    /// What the work is about; no two entries of a queue share it, but for one that was superseded.
    public var identity: String
    /// Made when the entry was added and the same for every attempt, so that a service can tell a repetition.
    public var idempotencyKey: UUID
    /// What is to be done.
    public var work: Work
    /// Where the work stands.
    public var state: State
    /// Attempts that were begun.
    public var attempts: Int
    /// Attempts that failed; an attempt interrupted by a crash does not count.
    public var failures: Int
    /// How often in a row the process has ended during this work; other ends than by this work count too.
    public var crashes: Int
    /// Why it was not done when it was last tried.
    public var reason: OutboxReason<Work.Failure>?
    /// When a failed entry is tried again without being asked.
    public var due: Date?
    /// When the entry was added.
    public var addedAt: Date
    /// Whether it has failed for good, and is done again only on request; others are tried again by themselves, sooner or later.
    public var isFinal: Bool = false
    /// What an attempt has saved last, in its stored form.
    var savedCheckpoint: Data?

    /// What an attempt has saved last; `nil` where that is nothing, or of another form, and when the work is done.
    ///
    /// For whoever takes the work back in its middle, and has to undo what was begun.
    public func checkpoint<Checkpoint: Decodable>(_ type: Checkpoint.Type) -> Checkpoint? {
        savedCheckpoint.flatMap { try? StoredForm.decode(type, from: $0) }
    }

    /// Whether the process has ended so often during this work that it is done again only on request.
    public var isSetAside: Bool { state == .failed && crashes >= OutboxRow.crashLimit }
}

extension OutboxEntry: Equatable where Work: Equatable {}
