public import Concurrency
internal import Foundation
internal import Synchronization

/// Does the work of an ``Outbox``: of each lane one entry after the other, of lanes as many at a time as the policy allows.
///
/// ``run()`` sleeps until something is added, a planned repetition is due, or the connection is back.
public actor OutboxWorker<Effect: OutboxEffect> {
    private typealias Claim = OutboxClaim<Effect.Work>

    /// Why the queue could not be read or written; `nil` when it could.
    public nonisolated var failure: Published<DatabaseFailure?> { lastFailure.published }

    private let outbox: Outbox<Effect.Work>
    private let effect: Effect
    /// The pause after the queue itself has failed, for example on a full disk, and after nothing was reached.
    private let pause: Duration
    private var isOnline: Bool
    /// Until when nothing is tried after an attempt that reached nothing, unless the network comes back before.
    private var offlineUntil: ContinuousClock.Instant?
    /// Until when nothing is taken after the queue itself has failed.
    private var failedUntil: ContinuousClock.Instant?
    /// Work whose end could not be stored; given back as soon as the queue can be written, to be repeated or recorded.
    private var unsettled: [Claim] = []

    private let lastFailure = CurrentValue<DatabaseFailure?>(nil, backlog: 1)

    /// Creates a worker that does nothing before ``run()`` or ``processQueue()``.
    public init(
        outbox: Outbox<Effect.Work>,
        effect: Effect,
        isOnline: Bool = true,
        pauseAfterFailure: Duration = .seconds(30)
    ) {
        self.outbox = outbox
        self.effect = effect
        self.isOnline = isOnline
        pause = pauseAfterFailure
    }

    /// Takes note of whether the network is there; without it entries wait, and its return starts the work, also what an outage has made
    /// fail.
    public func setOnline(_ isOnline: Bool) {
        let isBack = isOnline && !self.isOnline
        self.isOnline = isOnline
        if isOnline { offlineUntil = nil }
        if isBack { keepFailure { () throws(DatabaseFailure) in try outbox.revive() } }
        if isOnline { outbox.wake.raise() }
    }

    /// Works until the task is cancelled.
    ///
    /// At most one call at a time.
    public func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for claim in claims() {
                    group.addTask { await self.settle(claim) }
                }
                // Time goes on even where what is due could not be taken.
                _ = await outbox.wake.wait(atMost: nextWait().map { max($0, .milliseconds(1)) })
            }
        }
    }

    /// Does all work that may be done now; several calls at a time share it, each entry in one of them.
    public func processQueue() async {
        failedUntil = nil
        await withTaskGroup { group in
            var running = 0
            while true {
                for claim in claims() {
                    running += 1
                    group.addTask { await self.settle(claim) }
                }
                guard running > 0 else { return }
                await group.next()
                running -= 1
            }
        }
    }

    /// Takes all that may be worked on now.
    private func claims() -> [Claim] {
        var claims: [Claim] = []
        guard isOver(failedUntil) else { return [] }
        keepFailure { () throws(DatabaseFailure) in
            while let claim = unsettled.last {
                try outbox.release(claim)
                unsettled.removeLast()
            }
            while isOnline, isOver(offlineUntil), !Task.isCancelled, let claim = try outbox.claim() {
                claims.append(claim)
            }
        }
        return claims
    }

    private func nextWait() -> Duration? {
        guard isOnline else { return nil }
        var wait: Duration?
        if isOver(failedUntil) {
            keepFailure { () throws(DatabaseFailure) in wait = try outbox.waitForNext() }
        }
        for moment in [failedUntil, offlineUntil] { if let moment, !isOver(moment) { return moment - .now } }
        return wait
    }

    private func isOver(_ moment: ContinuousClock.Instant?) -> Bool { moment.map { $0 <= .now } ?? true }

    /// Publishes how using the queue has gone.
    private func keepFailure(_ body: () throws(DatabaseFailure) -> Void) {
        do throws(DatabaseFailure) {
            try body()
            failedUntil = nil
            if lastFailure.value != nil { lastFailure.set(nil) }
        } catch { keep(error) }
    }

    private func keep(_ failure: DatabaseFailure) {
        failedUntil = .now + pause
        lastFailure.set(failure)
    }

    /// Works on an entry, and stores how that has ended.
    private func settle(_ claim: Claim) async {
        do throws(DatabaseFailure) { try await work(on: claim) } catch {
            unsettled.append(claim)
            keep(error)
        }
        outbox.wake.raise()
    }

    private func work(on claim: Claim) async throws(DatabaseFailure) {
        if let data = claim.receipt,
            let receipt = try? StoredForm.decode(Effect.Work.Receipt.self, from: data)
        {
            return try finish(claim, receipt, data)
        }
        guard let outcome = await perform(claim) else {
            _ = try outbox.fail(claim, .stalled, isTransient: true)
            return
        }
        switch outcome {
        case .done(let receipt):
            let data: Data
            do { data = try StoredForm.encode(receipt) } catch {
                _ = try outbox.fail(
                    claim,
                    .noted("the receipt cannot be stored: \(error)"),
                    isTransient: false
                )
                return
            }
            try finish(claim, receipt, data)
        case .offline:
            offlineUntil = .now + pause
            try outbox.release(claim)
        case .retry where Task.isCancelled:
            // The app is going down; that is no fault of the work.
            try outbox.release(claim)
        case .retry(let failure, let retryAfter):
            _ = try outbox.fail(claim, .failed(failure), isTransient: true, retryAfter: retryAfter)
        case .failed(let failure): _ = try outbox.fail(claim, .failed(failure), isTransient: false)
        }
    }

    private func finish(_ claim: Claim, _ receipt: Effect.Work.Receipt, _ data: Data) throws(DatabaseFailure)
    {
        _ = try outbox.finish(claim, receipt: data) { try effect.record(receipt, of: claim.entry, in: $0) }
    }

    /// In a task of its own, which ends with this one, when the entry is cancelled, and when it makes no progress; `nil` in that case.
    private func perform(_ claim: Claim) async -> OutboxOutcome<Effect.Work>? {
        let attempt = OutboxAttempt(claim.entry, checkpoint: claim.checkpoint) {
            [outbox] (checkpoint, progress) throws(DatabaseFailure) in
            try outbox.save(checkpoint, progress: progress, of: claim)
        }
        let task = Task { [effect] in await effect.perform(attempt) }
        outbox.setAttempt(of: claim.entry.id) { task.cancel() }
        defer { outbox.setAttempt(of: claim.entry.id, nil) }
        // Who cancelled the entry since it was claimed found no attempt to end.
        if (try? outbox.holds(claim)) == false { task.cancel() }
        let watch = claim.policy.patience.map { patience in
            Task {
                while case let left = attempt.lastSign + patience - .now, left > .zero {
                    guard (try? await Task.sleep(for: left)) != nil else { return false }
                }
                task.cancel()
                return true
            }
        }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        watch?.cancel()
        if case .done = outcome { return outcome }
        return await watch?.value == true ? nil : outcome
    }
}
