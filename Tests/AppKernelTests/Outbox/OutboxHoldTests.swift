import AppKernel
import Concurrency
import Foundation
import GRDB
import Simulation
import Testing

@Suite("Outbox, when the other side asks to wait")
struct OutboxHoldTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let database: AppDatabase
    private let outbox: Outbox<String>

    init() throws {
        database = try AppDatabase(path: ":memory:")
        outbox = try Self.open(database)
    }

    private static func open(_ database: AppDatabase) throws -> Outbox<String> {
        try Outbox(
            database: database,
            name: "test",
            policy: OutboxPolicy(
                retries: RetryPolicy(
                    retries: 3,
                    first: .seconds(1),
                    longest: .seconds(4),
                    jitter: 0,
                    longestServerWait: .seconds(600)
                ),
                concurrency: 10
            )
        )
    }

    /// Two entries, of which the first was refused.
    private func refuse(retryAfter: Duration?, isTransient: Bool = true) throws {
        try outbox.add("one", identity: "a")
        try outbox.add("two", identity: "b")
        let claim = try #require(try outbox.claim(now: now))
        #expect(
            try outbox.fail(
                claim,
                .words("429"),
                isTransient: isTransient,
                retryAfter: retryAfter,
                now: now
            )
        )
    }

    /// What may be worked on so many seconds after the refusal.
    private func claimed(_ outbox: Outbox<String>, after seconds: Double) throws -> String? {
        try outbox.claim(now: now.addingTimeInterval(seconds))?.entry.identity
    }

    @Test(arguments: [(90, 90), (2, 2), (600, 600), (601, 600), (1_000_000_000, 600)] as [(Int, Double)])
    func `nothing is attempted before the time asked for, nor later than the longest wait`(
        asked: Int,
        wait: Double
    ) throws {
        try refuse(retryAfter: .seconds(asked))
        #expect(try outbox.waitForNext(now: now) == .seconds(wait))
        #expect(try claimed(outbox, after: wait - 0.001) == nil)
        #expect(try outbox.waitForNext(now: now.addingTimeInterval(wait - 0.5)) == .seconds(0.5))
        #expect(try claimed(outbox, after: wait) == "a")
        #expect(try claimed(outbox, after: wait) == "b")
    }

    @Test(arguments: [nil, .zero, .seconds(-5)] as [Duration?])
    func `without a wait only the refused entry waits, by the policy`(asked: Duration?) throws {
        try refuse(retryAfter: asked)
        #expect(try claimed(outbox, after: 0) == "b")
        #expect(try claimed(outbox, after: 0.999) == nil)
        #expect(try claimed(outbox, after: 1) == "a")
    }

    @Test func `a short wait does not shorten the policy's own`() throws {
        try refuse(retryAfter: .milliseconds(200))
        #expect(try claimed(outbox, after: 0.3) == "b")
        #expect(try claimed(outbox, after: 0.9) == nil)
        #expect(try claimed(outbox, after: 1) == "a")
    }

    @Test func `a permanent failure holds nothing back`() throws {
        try refuse(retryAfter: .seconds(90), isTransient: false)
        #expect(try claimed(outbox, after: 0) == "b")
    }

    @Test func `the wait outlives the process, and is no wait of other queues`() throws {
        try refuse(retryAfter: .seconds(90))
        let again = try Self.open(database)
        #expect(try claimed(again, after: 89) == nil)
        let other = try Outbox<String>(database: database, name: "other")
        try other.add("x", identity: "x")
        #expect(try claimed(other, after: 0) == "x")
        #expect(try claimed(again, after: 90) == "a")
    }

    @Test func `a retry on request ends the wait`() throws {
        try refuse(retryAfter: .seconds(90))
        #expect(try outbox.retry("a"))
        #expect(try claimed(outbox, after: 0) == "a")
        #expect(try claimed(outbox, after: 0) == "b")
    }

    @Test func `work that is done is recorded during the wait`() throws {
        try outbox.add("done", identity: "done")
        let done = try #require(try outbox.claim(now: now))
        #expect(try outbox.finish(done, receipt: Data(), now: now) { _ in throw CancellationError() })
        try refuse(retryAfter: .seconds(90))
        // Postponed by the policy's longest wait.
        #expect(try outbox.waitForNext(now: now) == .seconds(4))
        #expect(try claimed(outbox, after: 4) == "done")
        #expect(try claimed(outbox, after: 4) == nil)
    }

    @Test func `a clock that was set back does not prolong the wait`() throws {
        try refuse(retryAfter: .seconds(90))
        #expect(try claimed(outbox, after: -86_400) == "a")
    }

    @Test(arguments: ["until = 'soon'", "wait = x'00'"])
    func `a damaged wait holds nothing back`(_ damage: String) throws {
        try refuse(retryAfter: .seconds(90))
        try database.write("damage the wait") { try $0.execute(sql: "UPDATE outboxHold SET \(damage)") }
        #expect(try claimed(outbox, after: 0) == "b")
    }

    @Test func `an entry's time is never before the wait's end`() throws {
        let asked = Date()
        try outbox.add("one", identity: "a")
        let claim = try #require(try outbox.claim())
        #expect(
            try outbox.fail(claim, .words("429"), isTransient: true, retryAfter: .seconds(300), now: asked)
        )
        #expect(try outbox.entries().map(\.due) == [asked.addingTimeInterval(300)])
    }

    @Test func `a worker keeps every wait that it is asked for, with jitter`() throws {
        let (starts, ends) = try Simulation(seed: 5).run {
            let outbox = try Outbox<String>(
                database: AppDatabase(path: ":memory:"),
                name: "test",
                policy: OutboxPolicy(
                    retries: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4), jitter: 0.1)
                )
            )
            let effect = RefusingEffect([.seconds(60), nil, .seconds(86_400 * 365)])
            let worker = OutboxWorker(outbox: outbox, effect: effect)
            let running = Task { await worker.run() }
            try outbox.add("x", identity: "a")
            try await Task.sleep(for: .seconds(10))
            try outbox.add("y", identity: "b")
            try await Task.sleep(for: .seconds(10_000))
            running.cancel()
            await running.value
            return (effect.times.value, try outbox.entries().count)
        }
        let waits = zip(starts, starts.dropFirst()).map { $1 - $0 }
        // Both after the 60 s, and both again after an hour, the bound, though a year was asked for.
        try #require(waits.count == 4)
        #expect(waits[0] >= .seconds(60) && waits[0] <= .seconds(66.1))
        #expect(waits[1] < .seconds(1))
        #expect(waits[2] >= .seconds(3600) && waits[2] <= .seconds(3961))
        #expect(waits[3] < .seconds(1))
        #expect(ends == 0)
    }
}

/// Refuses as often as there are waits to ask for, and then succeeds.
private final class RefusingEffect: OutboxEffect {
    let times = CurrentValue<[ContinuousClock.Instant]>([])
    private let waits: [Duration?]

    init(_ waits: [Duration?]) { self.waits = waits }

    func perform(_ attempt: OutboxAttempt<String>) async -> OutboxOutcome<String> {
        let index = times.value.count
        times.update { $0.append(.now) }
        return index < waits.count ? .retry(WorkFailure("refused"), after: waits[index]) : .done("done")
    }

    func record(_ receipt: String, of entry: OutboxEntry<String>, in database: Database) {}
}
