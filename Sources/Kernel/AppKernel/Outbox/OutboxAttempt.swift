internal import Foundation
internal import Synchronization

/// One attempt at an entry, as the effect that does the work sees it.
public struct OutboxAttempt<Work: OutboxWork>: Sendable {
    /// The entry, with the key that all its attempts share.
    public let entry: OutboxEntry<Work>

    private let kept: Kept

    /// What was saved, and how it is made durable.
    private final class Kept: Sendable {
        let checkpoint: Mutex<Data?>
        let lastSign = Mutex(ContinuousClock.now)
        let store: @Sendable (Data) throws(DatabaseFailure) -> Void

        init(_ checkpoint: Data?, store: @escaping @Sendable (Data) throws(DatabaseFailure) -> Void) {
            self.checkpoint = Mutex(checkpoint)
            self.store = store
        }
    }

    /// Makes an attempt whose checkpoints are in memory alone, for tests of an effect.
    public init(_ entry: OutboxEntry<Work>) {
        self.init(entry, checkpoint: nil, store: { (_) throws(DatabaseFailure) in })
    }

    init(
        _ entry: OutboxEntry<Work>,
        checkpoint: Data?,
        store: @escaping @Sendable (Data) throws(DatabaseFailure) -> Void
    ) {
        self.entry = entry
        kept = Kept(checkpoint, store: store)
    }

    /// What this attempt or an earlier one has saved last, also before a crash; `nil` where that is nothing, or of another form.
    public func checkpoint<Checkpoint: Decodable>(_ type: Checkpoint.Type) -> Checkpoint? {
        kept.checkpoint.withLock { $0 }.flatMap { try? StoredForm.decode(type, from: $0) }
    }

    /// Saves how far the work has come, durably, in the place of what was saved before; a sign of progress, as ``renew()`` is.
    ///
    /// - Throws: ``DatabaseFailure``, `takenOver` where the entry was cancelled or another opening works on it: then the attempt
    ///   should end.
    public func save(_ checkpoint: some Encodable) throws(DatabaseFailure) {
        let data: Data
        do { data = try StoredForm.encode(checkpoint) } catch {
            throw DatabaseFailure(
                error,
                operation: "encode a checkpoint of “\(entry.identity)”",
                path: "the queue"
            )
        }
        try kept.store(data)
        kept.checkpoint.withLock { $0 = data }
        renew()
    }

    /// Shows that the attempt makes progress, so that it is not ended for want of it, see ``OutboxPolicy/patience``.
    public func renew() { kept.lastSign.withLock { $0 = .now } }

    /// When the attempt has begun or shown progress last.
    var lastSign: ContinuousClock.Instant { kept.lastSign.withLock { $0 } }
}
