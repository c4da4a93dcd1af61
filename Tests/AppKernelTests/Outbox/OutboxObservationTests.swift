import AppKernel
import Concurrency
import GRDB
import Simulation
import SimulationTesting
import TestSupport
import Testing

@Suite("Outbox: what is observed", .simulated(seeds: 1...20))
struct OutboxObservationTests {
    private let database: AppDatabase
    private let outbox: Outbox<Wish>

    init() throws {
        database = try AppDatabase(path: ":memory:")
        outbox = try Outbox(
            database: database,
            name: "test",
            policy: OutboxPolicy(exhaustion: .fails, concurrency: 3)
        )
    }

    /// Observes while the body runs, and returns what was seen.
    private func observing<Value: Sendable & Equatable>(
        _ read: @escaping @Sendable (Outbox<Wish>, Database) throws -> Value,
        pausing pause: Duration = .zero,
        _ body: () async throws -> Void
    ) async throws -> [Value] {
        let seen = CurrentValue<[Value]>([])
        let watching = Task { [outbox] in
            for try await value in outbox.observe({ try read(outbox, $0) }) {
                seen.update { $0.append(value) }
                try await Task.sleep(for: pause)
            }
        }
        // What is there at the beginning.
        await seen.reaches { !$0.isEmpty }
        try await body()
        // Whoever is slow catches up.
        try await Task.sleep(for: pause + .seconds(1))
        watching.cancel()
        _ = await watching.result
        return seen.value
    }

    @Test func `the counts follow each commit, and end with what is there`() async throws {
        let names = (0..<Int.random(in: 1...8)).map { "\($0)" }
        let counts = try await observing({ try $0.counts(in: $1) }) {
            for name in names {
                try outbox.add(Wish(text: name), identity: name)
                await Task.yield()
            }
            try outbox.add(Wish(text: "bad"), identity: "bad")
            try outbox.add(Wish(text: "later"), identity: "later")
            let effect = ScriptedEffect<Wish>([
                "bad": [.failed(WorkFailure("no"))], "later": [.retry(WorkFailure("503"))],
            ])
            effect.gate.set(false)
            let working = Task { [outbox] in
                await OutboxWorker(outbox: outbox, effect: effect).processQueue()
            }
            try await Task.sleep(for: .seconds(1))
            effect.gate.set(true)
            await working.value
        }
        #expect(counts.first == OutboxCounts())
        #expect(counts.last == OutboxCounts(failed: 1, final: 1))
        // Nothing twice, and never more in work than may be.
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 != $1 })
        #expect(counts.allSatisfy { $0.inWork <= 3 && $0.unsettled + $0.final <= names.count + 2 })
        #expect(counts.contains(OutboxCounts(pending: names.count - 1, inWork: 3)))
    }

    @Test func `many commits are one reading for whoever is slow, and the newest is never missed`()
        async throws
    {
        let readings = CurrentValue(0)
        let count = Int.random(in: 50...200)
        let counts = try await observing(
            {
                readings.update { $0 += 1 }
                return try $0.counts(in: $1).pending
            },
            pausing: .seconds(10)
        ) {
            for number in 0..<count {
                try outbox.add(Wish(text: "x"), identity: "\(number)")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...20)))
            }
        }
        #expect(counts.last == count)
        #expect(readings.value <= 4)
    }

    @Test func `a transaction that is undone is not seen, and one that is done is seen whole`() async throws {
        struct Undone: Error {}
        let counts = try await observing({ try $0.counts(in: $1).pending }) {
            for undoes in [true, false, true] {
                try? database.write("add") { database in
                    for number in 0..<10 {
                        try outbox.add(Wish(text: "x"), identity: "\(number)", in: database)
                    }
                    if undoes { throw Undone() }
                }
                for _ in 0..<10 { await Task.yield() }
            }
        }
        #expect(counts == [0, 10])
    }

    @Test func `the entries of a lane are seen in their order, and those of others are not`() async throws {
        let lanes = try await observing({ try $0.entries(inLane: "album", in: $1).map(\.identity) }) {
            for (number, lane) in ["album", nil, "album", "other", "album"].enumerated() {
                try outbox.add(Wish(text: "x", lane: lane), identity: "\(number)")
            }
            try await Task.sleep(for: .seconds(1))
            let effect = ScriptedEffect<Wish>(["2": [.failed(WorkFailure("no"))]])
            await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        }
        #expect(lanes.first == [] && lanes.last == ["2"])
        #expect(lanes.allSatisfy { $0 == $0.sorted() && Set($0).isSubset(of: ["0", "2", "4"]) })
        #expect(lanes.contains { $0.count == 3 })
    }

    @Test func `a wish that supersedes one in work is the one that counts`() async throws {
        try outbox.add(Wish(text: "like"), identity: "like")
        _ = try #require(try outbox.claim())
        let seen = try await observing({ outbox, database in
            [try outbox.counts(in: database).pending, try outbox.counts(in: database).inWork]
        }) {
            try database.write("change") {
                _ = try outbox.supersede(Wish(text: "unlike"), identity: "like", in: $0)
            }
        }
        #expect(seen == [[0, 1], [1, 0]])
    }

    @Test func `an observation of a database that is closed ends with its failure`() async throws {
        let outbox = outbox
        let ended = Task {
            do throws(DatabaseFailure) {
                for try await _ in outbox.observe({ try outbox.counts(in: $0) }) {}
                return DatabaseFailure?.none
            } catch { return error }
        }
        try await Task.sleep(for: .seconds(1))
        try outbox.add(Wish(text: "x"), identity: "x")
        try database.close()
        #expect(await ended.value != nil)
    }
}
