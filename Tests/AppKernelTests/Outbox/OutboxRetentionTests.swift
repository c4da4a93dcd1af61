import AppKernel
import Concurrency
import Foundation
import GRDB
import Simulation
import SimulationTesting
import Testing

@Suite("Outbox: how long failures are kept", .simulated(seeds: 1...20))
struct OutboxRetentionTests {
    private static let age = Duration.seconds(86_400)

    private static func open(_ database: AppDatabase) throws -> Outbox<Wish> {
        try Outbox(
            database: database,
            name: "test",
            policy: OutboxPolicy(exhaustion: .waits(atMost: nil), retention: age),
            kinds: ["few": OutboxPolicy(retained: 3), "all": OutboxPolicy()]
        )
    }

    private let database: AppDatabase
    private let outbox: Outbox<Wish>
    private let removed = CurrentValue<[String]>([])

    init() throws {
        database = try AppDatabase(path: ":memory:")
        outbox = try Self.open(database)
        outbox.watch { [removed] change in
            if change.event == .removed { removed.update { $0.append(change.identity) } }
        }
    }

    private var kept: [String] { get throws { try outbox.entries().map(\.identity) } }

    private func add(_ identities: [String], kind: String = "") throws {
        for identity in identities { try outbox.add(Wish(text: identity, kind: kind), identity: identity) }
    }

    /// Works for as long as the body takes, and fails for good.
    private func failing(_ body: () async throws -> Void) async throws {
        let running = Task { [outbox] in
            await OutboxWorker(outbox: outbox, effect: RefusingEffect(outcome: .failed(WorkFailure("no"))))
                .run()
        }
        try await body()
        running.cancel()
        await running.value
    }

    @Test func `what has failed goes when its time is over, which begins with its failure`() async throws {
        try add(["late"])
        // As long as the device is off, or there is no network.
        try await Task.sleep(for: .seconds(Int.random(in: 0...1_000_000)))
        try await failing {
            try await Task.sleep(for: Self.age - .seconds(1))
            #expect(try kept == ["late"] && removed.value.isEmpty)
            try await Task.sleep(for: .seconds(2))
            #expect(try kept.isEmpty && removed.value == ["late"])
        }
    }

    @Test func `each failure has its own time, also over openings`() async throws {
        let pause = Duration.seconds(Int.random(in: 10...40_000))
        try await failing {
            for name in ["a", "b", "c"] {
                try add([name])
                try await Task.sleep(for: pause)
            }
        }
        try await Task.sleep(for: Self.age - pause * 2 - .seconds(1))
        // The first has failed before the last two pauses and this one.
        #expect(try Self.open(database).entries().map(\.identity) == ["b", "c"])
        try await Task.sleep(for: .seconds(2))
        #expect(try Self.open(database).entries().map(\.identity) == ["c"])
    }

    @Test func `of what has failed the newest are kept, in the order of their failures`() async throws {
        let names = (1...Int.random(in: 4...12)).map { "\($0)" }.shuffled()
        try await failing {
            for name in names {
                try add([name], kind: "few")
                try add(["kept " + name], kind: "all")
                try await Task.sleep(for: .seconds(1))
            }
        }
        let few = try outbox.entries().filter { $0.work.kind == "few" }
        #expect(few.count == 3 && few.allSatisfy(\.isFinal))
        #expect(try kept.count == names.count + 3)
        #expect(Set(few.map(\.identity)).isDisjoint(with: removed.value))
        #expect(removed.value.count == names.count - 3)
        #expect(few.map(\.identity) == Array(names.suffix(3)))
    }

    @Test func `who asks again has the whole time again`() async throws {
        try add(["a"])
        try await failing {
            try await Task.sleep(for: Self.age - .seconds(10))
            #expect(try outbox.retry("a"))
            try await Task.sleep(for: Self.age - .seconds(10))
            #expect(try kept == ["a"])
            try await Task.sleep(for: .seconds(20))
            #expect(try kept.isEmpty)
        }
    }

    @Test func `what has not failed for good is kept without a limit`() async throws {
        try add(["waits"])
        let effect = RefusingEffect(outcome: .retry(WorkFailure("503")))
        let running = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).run() }
        try await Task.sleep(for: Self.age * 3)
        #expect(try outbox.entries().map(\.state) == [.failed] && removed.value.isEmpty)
        running.cancel()
        await running.value
        // Neither what an outage has made fail nor what was never tried.
        try add(["new"])
        try await Task.sleep(for: Self.age * 3)
        #expect(try Self.open(database).entries().map(\.identity) == ["waits", "new"])
    }
}

/// Ends every attempt alike.
private struct RefusingEffect: OutboxEffect {
    let outcome: OutboxOutcome<Wish>

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> { outcome }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {}
}
