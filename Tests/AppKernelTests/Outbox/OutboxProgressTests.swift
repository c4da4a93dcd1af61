import AppKernel
import Concurrency
import Foundation
import GRDB
import Simulation
import SimulationTesting
import TestSupport
import Testing

@Suite("Outbox: checkpoints, stalls and ends", .simulated(seeds: 1...20))
struct OutboxProgressTests {
    private static let policy = OutboxPolicy(
        retries: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4)),
        expiry: .seconds(3_600),
        patience: .seconds(10)
    )

    private func open(_ database: AppDatabase) throws -> Outbox<Wish> {
        try Outbox(database: database, name: "test", policy: Self.policy)
    }

    @Test func `an attempt goes on from the checkpoint of the one before, also after the process has died`()
        async throws
    {
        let database = try AppDatabase(path: ":memory:")
        let before = try open(database)
        try before.add(Wish(text: "film"), identity: "a")
        let parts = PartsEffect(stopsAt: 3)
        let work = Task { await OutboxWorker(outbox: before, effect: parts).processQueue() }
        await parts.sent.reaches { $0 == [1, 2, 3] }
        // The process dies here: a new opening takes over, and what the old one saves is refused.
        let after = try open(database)
        parts.goOn.set(true)
        await work.value
        #expect(parts.refused.value?.code == .takenOver)
        let rest = PartsEffect(stopsAt: nil)
        await OutboxWorker(outbox: after, effect: rest).processQueue()
        #expect(rest.sent.value == [3, 4, 5])
        #expect(try after.entries().isEmpty)
    }

    @Test func `an attempt without progress is ended and repeated, one with progress goes on`() async throws {
        let database = try AppDatabase(path: ":memory:")
        let outbox = try open(database)
        try outbox.add(Wish(text: "slow"), identity: "a")
        let effect = SlowEffect()
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let running = Task { await worker.run() }
        await effect.attempts.reaches { $0 == 1 }
        try await Task.sleep(for: .seconds(9))
        #expect(try outbox.entries().map(\.state) == [.inWork])
        try await Task.sleep(for: .seconds(5))
        let entry = try #require(try outbox.entries().first)
        #expect(entry.failures == 1 && entry.reason == .stalled)
        await effect.attempts.reaches { $0 == 2 }
        // The second attempt renews every five seconds, for a minute.
        try await Task.sleep(for: .seconds(70))
        #expect(try outbox.entries().isEmpty)
        running.cancel()
        await running.value
    }

    @Test func `work that did not begin in its time has failed`() throws {
        let outbox = try open(AppDatabase(path: ":memory:"))
        let events = CurrentValue<[OutboxChange<Wish>.Event]>([])
        try outbox.add(Wish(text: "late"), identity: "a")
        outbox.watch { change in events.update { $0.append(change.event) } }
        let added = try #require(try outbox.entries().first).addedAt
        #expect(try outbox.claim(now: added + 3_601) == nil)
        #expect(events.value == [.failed(.expired, failures: 0, retriesItself: false)])
        #expect(try outbox.entries().map(\.reason) == [.expired])
        #expect(try outbox.retry("a"))
        #expect(try outbox.claim(now: added + 7_200)?.entry.identity == "a")
    }

    @Test func `what was not reached counts as no failure, and goes on when the network is back`()
        async throws
    {
        let outbox = try open(AppDatabase(path: ":memory:"))
        let effect = ScriptedEffect<Wish>(["a": [.offline, .offline]])
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        try outbox.add(Wish(text: "x"), identity: "a")
        try outbox.add(Wish(text: "y"), identity: "b")
        let running = Task { await worker.run() }
        await effect.performed.reaches { $0.count == 1 }
        try await Task.sleep(for: .seconds(5))
        #expect(effect.identities == ["a"])
        #expect(try outbox.entries().map(\.state) == [.pending, .pending])
        await worker.setOnline(true)
        await effect.performed.reaches { $0.count == 2 }
        // Without news of the network it is tried after the pause.
        try await Task.sleep(for: .seconds(40))
        #expect(effect.identities == ["a", "a", "a", "b"])
        #expect(effect.performed.value.map(\.failures) == [0, 0, 0, 0])
        running.cancel()
        await running.value
    }

    @Test func `what waits for its recording is no reason to hurry while other work is done`() async throws {
        let outbox = try open(AppDatabase(path: ":memory:"))
        let effect = SlowEffect(standsStill: false, recordFailures: 1)
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let running = Task { await worker.run() }
        try outbox.add(Wish(text: "first"), identity: "a")
        try outbox.add(Wish(text: "second"), identity: "b")
        try await Task.sleep(for: .seconds(180))
        #expect(try outbox.entries().isEmpty)
        #expect(effect.attempts.value == 2)
        running.cancel()
        await running.value
    }

    @Test func `work that is cancelled as it begins is ended`() async throws {
        let database = try AppDatabase(path: ":memory:")
        let outbox = try open(database)
        let effect = SlowEffect(standsStill: true, recordFailures: 0)
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let running = Task { await worker.run() }
        for number in 0..<20 {
            try outbox.add(Wish(text: "x"), identity: "\(number)")
            for _ in 0..<Int.random(in: 0...6) { await Task.yield() }
            try database.write("drop") { _ = try outbox.cancel("\(number)", in: $0) }
            // Less than what ends an attempt without progress.
            try await Task.sleep(for: .seconds(5))
            #expect(effect.standing.value == 0, "\(number)")
        }
        #expect(try outbox.entries().isEmpty)
        running.cancel()
        await running.value
    }

    @Test func `an outage of any length ends by itself`() async throws {
        let outbox = try open(AppDatabase(path: ":memory:"))
        let outage = OutageEffect(until: .now + .seconds(3_000))
        let worker = OutboxWorker(outbox: outbox, effect: outage)
        let running = Task { await worker.run() }
        for name in ["a", "b", "c"] { try outbox.add(Wish(text: name), identity: name) }
        try await Task.sleep(for: .seconds(3_590))
        #expect(try outbox.entries().isEmpty)
        running.cancel()
        await running.value
    }
}

/// Sends five parts, and saves each as soon as it is sent.
private final class PartsEffect: OutboxEffect {
    let sent = CurrentValue<[Int]>([])
    let goOn = CurrentValue(false)
    let refused = CurrentValue<DatabaseFailure?>(nil)
    private let stopsAt: Int?

    init(stopsAt: Int?) { self.stopsAt = stopsAt }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        var next = (attempt.checkpoint(Int.self) ?? 0) + 1
        while next <= 5 {
            sent.update { $0.append(next) }
            if next == stopsAt { for await isOpen in goOn.values() where isOpen { break } }
            do throws(DatabaseFailure) { try attempt.save(next) } catch {
                refused.set(error)
                return .retry(WorkFailure("\(error)"))
            }
            next += 1
        }
        return .done("film")
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {}
}

/// Takes a minute, with a sign of life every five seconds, or stands still: at its first attempt, or at all.
private final class SlowEffect: OutboxEffect {
    let attempts = CurrentValue(0)
    /// Attempts that stand still now.
    let standing = CurrentValue(0)
    private let standsStill: Bool?
    private let recordFailures: CurrentValue<Int>

    init(standsStill: Bool? = nil, recordFailures: Int = 0) {
        self.standsStill = standsStill
        self.recordFailures = CurrentValue(recordFailures)
    }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        attempts.update { $0 += 1 }
        if standsStill ?? (attempts.value == 1) {
            standing.update { $0 += 1 }
            try? await Task.sleep(for: .seconds(100_000))
            standing.update { $0 -= 1 }
            return .retry(WorkFailure("cancelled"))
        }
        for _ in 0..<12 {
            try? await Task.sleep(for: .seconds(5))
            attempt.renew()
        }
        return Task.isCancelled ? .retry(WorkFailure("cancelled")) : .done("slowly")
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) throws {
        guard recordFailures.value > 0 else { return }
        recordFailures.update { $0 -= 1 }
        throw CancellationError()
    }
}

/// Fails until a time.
private struct OutageEffect: OutboxEffect {
    let until: ContinuousClock.Instant

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        .now < until ? .retry(WorkFailure("503")) : .done("done")
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {}
}
