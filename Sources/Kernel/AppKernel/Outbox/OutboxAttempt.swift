internal import Foundation
internal import Synchronization

/// One attempt at an entry, as the effect that does the work sees it.
public struct OutboxAttempt<Work: OutboxWork>: Sendable {
    /// The entry, with the key that all its attempts share.
    public let entry: OutboxEntry<Work>

    /// Makes a checkpoint durable, with how far the work has come where that is known.
    typealias Store = @Sendable (_ checkpoint: Data, _ progress: Int?) throws(DatabaseFailure) -> Void

    private let kept: Kept

    /// What was saved, and how it is made durable.
    private final class Kept: Sendable {
        let checkpoint: Mutex<Data?>
        let lastSign = Mutex(ContinuousClock.now)
        let store: Store

        init(_ checkpoint: Data?, store: @escaping Store) {
            self.checkpoint = Mutex(checkpoint)
            self.store = store
        }
    }

    /// Makes an attempt whose checkpoints are in memory alone, for tests of an effect.
    public init(_ entry: OutboxEntry<Work>) {
        self.init(entry, checkpoint: nil, store: { (_, _) throws(DatabaseFailure) in })
    }

    init(
        _ entry: OutboxEntry<Work>,
        checkpoint: Data?,
        store: @escaping Store
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
    /// - Parameters:
    ///   - checkpoint: What a later attempt goes on from.
    ///   - progress: How far the work has come, from 0 on, in units of its own such as bytes. Further than before, the failures so far
    ///     count for the policy's repetitions no more, and those begin again; work that falls back and comes as far as it was has gained
    ///     nothing. `nil`, the default, says nothing of it.
    /// - Throws: ``DatabaseFailure``, `takenOver` where the entry was cancelled or another opening works on it: then the attempt
    ///   should end.
    public func save(_ checkpoint: some Encodable, progress: Int? = nil) throws(DatabaseFailure) {
        let data: Data
        do { data = try StoredForm.encode(checkpoint) } catch {
            throw DatabaseFailure(
                error,
                operation: "encode a checkpoint of “\(entry.identity)”",
                path: "the queue"
            )
        }
        try kept.store(data, progress)
        kept.checkpoint.withLock { $0 = data }
        renew()
    }

    /// Shows that the attempt makes progress, so that it is not ended for want of it, see ``OutboxPolicy/patience``.
    public func renew() { kept.lastSign.withLock { $0 = .now } }

    /// When the attempt has begun or shown progress last.
    var lastSign: ContinuousClock.Instant { kept.lastSign.withLock { $0 } }
}
