public import Concurrency
internal import Foundation
package import GRDB

/// Does the work of an ``Outbox``, one entry after the other.
///
/// ``run()`` sleeps until something is added, a planned repetition is due, or the connection is back.
public actor OutboxWorker<Effect: OutboxEffect> {
    private let outbox: Outbox<Effect.Payload>
    private let effect: Effect
    /// The pause after the queue itself has failed, for example on a full disk.
    private let pauseAfterFailure: Duration
    private var isOnline: Bool
    /// Work whose end could not be stored; given back as soon as the queue can be written, to be repeated or recorded.
    private var unsettled: [OutboxClaim<Effect.Payload>] = []
    /// What is being done, by the lease of its claim.
    private var running: [UUID: (identity: String, task: Task<OutboxOutcome<Effect.Receipt>, Never>)] = [:]
    /// Why the queue could not be read or written; `nil` when it could.
    public nonisolated var failure: Published<DatabaseFailure?> { lastFailure.published }

    private let lastFailure = CurrentValue<DatabaseFailure?>(nil, backlog: 1)

    /// Creates a worker that does nothing before ``run()`` or ``processQueue()``.
    public init(
        outbox: Outbox<Effect.Payload>,
        effect: Effect,
        isOnline: Bool = true,
        pauseAfterFailure: Duration = .seconds(30)
    ) {
        self.outbox = outbox
        self.effect = effect
        self.isOnline = isOnline
        self.pauseAfterFailure = pauseAfterFailure
    }

    /// Tells whether the network is there; without it entries wait, and its return starts the work.
    public func setOnline(_ isOnline: Bool) {
        self.isOnline = isOnline
        if isOnline { outbox.wake.raise() }
    }

    /// Works until the task is cancelled.
    ///
    /// At most one call at a time.
    public func run() async {
        while !Task.isCancelled {
            await processQueue()
            guard !Task.isCancelled else { return }
            _ = await outbox.wake.wait(atMost: nextWait())
        }
    }

    /// Does all work that may be done now; several calls at a time share it, each entry in one of them.
    public func processQueue() async {
        do throws(DatabaseFailure) {
            while let claim = unsettled.last {
                try outbox.release(claim)
                unsettled.removeLast()
            }
            while isOnline, !Task.isCancelled, let claim = try outbox.claim() {
                do throws(DatabaseFailure) {
                    try await work(on: claim)
                } catch {
                    unsettled.append(claim)
                    throw error
                }
            }
            if lastFailure.value != nil { lastFailure.set(nil) }
        } catch {
            lastFailure.set(error)
        }
    }

    /// Drops entries in one transaction with a change of the caller's, then cancels the work on those that are in work.
    ///
    /// Does not wait for the end of that work, whose outcome is ignored.
    ///
    /// - Parameter replacement: As of ``Outbox/withdraw(_:replacing:with:)``.
    package func withdraw(
        _ identities: [String],
        replacing replacement: @Sendable (String, OutboxEntry<Effect.Payload>?) throws -> Effect.Payload? = {
            _,
            _ in nil
        },
        with change: @Sendable (Database) throws -> Void
    ) throws(DatabaseFailure) {
        try outbox.withdraw(identities, replacing: replacement, with: change)
        for (identity, task) in running.values where identities.contains(identity) { task.cancel() }
    }

    private func nextWait() -> Duration? {
        guard isOnline else { return nil }
        guard lastFailure.value == nil else { return pauseAfterFailure }
        do throws(DatabaseFailure) { return try outbox.waitForNext() } catch {
            lastFailure.set(error)
            return pauseAfterFailure
        }
    }

    private func work(on claim: OutboxClaim<Effect.Payload>) async throws(DatabaseFailure) {
        if let data = claim.receipt, let receipt = try? JSONDecoder().decode(Effect.Receipt.self, from: data)
        {
            return try await record(receipt, of: claim)
        }
        let outcome = await perform(claim)
        switch outcome {
        case .success(let receipt):
            guard let data = try? JSONEncoder().encode(receipt) else {
                _ = try outbox.fail(claim, error: "the receipt cannot be stored", isTransient: false)
                return
            }
            guard try outbox.complete(claim, receipt: data) else { return }
            try await record(receipt, of: claim)
        case .transientFailure where Task.isCancelled:
            // The app is going down; that is no fault of the work.
            try outbox.release(claim)
        case .transientFailure(let error, let retryAfter):
            _ = try outbox.fail(claim, error: error, isTransient: true, retryAfter: retryAfter)
        case .permanentFailure(let error): _ = try outbox.fail(claim, error: error, isTransient: false)
        }
    }

    /// In a task of its own, which ends with this one and can be ended by itself.
    private func perform(_ claim: OutboxClaim<Effect.Payload>) async -> OutboxOutcome<Effect.Receipt> {
        let task = Task { [effect] in await effect.perform(claim.entry) }
        running[claim.lease] = (claim.entry.identity, task)
        defer { running[claim.lease] = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func record(
        _ receipt: Effect.Receipt,
        of claim: OutboxClaim<Effect.Payload>
    ) async throws(DatabaseFailure) {
        do {
            try await effect.record(receipt, of: claim.entry)
        } catch {
            return try outbox.postpone(claim)
        }
        _ = try outbox.finish(claim)
    }
}
