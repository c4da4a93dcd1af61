import AppKernel
import Concurrency
import Foundation
import GRDB
import SimulatedDisk
import Simulation
import SimulationTesting
import Testing

@Suite("A database that is opened alone", .simulated(seeds: 1...20))
struct AloneDatabaseTests {
    private let phone: Node
    private let disk: SimulatedDisk

    init() throws {
        phone = try #require(Simulation.current).node("phone")
        disk = SimulatedDisk(node: phone)
    }

    private var path: String { disk.databasePath("app.sqlite") }

    @Test func `a process that waits goes on with the queue where the one before it has ended`() async throws
    {
        let (path, done) = (path, CurrentValue<[String]>([]))
        let names = (0..<10).map { "work \($0)" }
        try await phone.run {
            try await withThrowingTaskGroup { group in
                for number in 0..<Int.random(in: 2...4) {
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
                        let database = try await AppDatabase.alone(path: path, waitingAtMost: nil)
                        let outbox = try Outbox<Wish>(database: database, name: "test")
                        for name in names where number == 0 {
                            try outbox.add(Wish(text: name), identity: name)
                        }
                        let worker = OutboxWorker(outbox: outbox, effect: SlowEffect(done))
                        let running = Task { await worker.run() }
                        try await Task.sleep(for: .seconds(Int.random(in: 3...6)))
                        running.cancel()
                        await running.value
                        // Nobody has taken it over.
                        #expect(try !outbox.retry("nothing"))
                        try database.close()
                    }
                }
                try await group.waitForAll()
            }
            let outbox = try Outbox<Wish>(database: AppDatabase(path: path), name: "test")
            await OutboxWorker(outbox: outbox, effect: SlowEffect(done)).processQueue()
            #expect(try outbox.entries().isEmpty)
        }
        #expect(done.value.sorted() == names.sorted())
    }

    @Test func `who waits has the file as soon as the other has closed it, or lost it with its process`()
        async throws
    {
        let path = path
        let crashes = Bool.random()
        let first = try await phone.run { try await AppDatabase.alone(path: path, waitingAtMost: .zero) }
        let length = Duration.seconds(Int.random(in: 1...100))
        if crashes {
            try await Task.sleep(for: length)
            phone.crash()
            phone.restart()
            let second = try await phone.run { try await AppDatabase.alone(path: path, waitingAtMost: .zero) }
            try second.close()
        } else {
            let waiting = Task {
                let second = try await phone.run {
                    try await AppDatabase.alone(path: path, waitingAtMost: nil)
                }
                try second.close()
                return ContinuousClock.now
            }
            try await Task.sleep(for: length)
            let end = ContinuousClock.now
            try first.close()
            let opened = try await waiting.value
            #expect(opened >= end && opened - end <= .seconds(1))
        }
    }

    @Test func `the wait ends when its time is over, and when its task is cancelled`() async throws {
        let path = path
        let limit = Duration.milliseconds(Int.random(in: 0...20_000))
        try await phone.run {
            let first = try await AppDatabase.alone(path: path, waitingAtMost: nil)
            let start = ContinuousClock.now
            let late = await #expect(throws: DatabaseFailure.self) {
                try await AppDatabase.alone(path: path, waitingAtMost: limit)
            }
            #expect(late?.code == .busy)
            let waited = ContinuousClock.now - start
            #expect(waited >= limit && waited < limit + .milliseconds(1))
            let waiting = Task { try await AppDatabase.alone(path: path, waitingAtMost: nil) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...2_000)))
            let end = ContinuousClock.now
            waiting.cancel()
            let cancelled = await #expect(throws: DatabaseFailure.self) { try await waiting.value }
            #expect(cancelled?.code == .busy && ContinuousClock.now - end < .milliseconds(1))
            // Neither has left anything in the way.
            try first.close()
            try await AppDatabase.alone(path: path, waitingAtMost: .zero).close()
        }
    }

    @Test func `other openings neither wait nor are waited for`() async throws {
        let path = path
        try await phone.run {
            let open = try AppDatabase(path: path)
            let alone = try await AppDatabase.alone(path: path, waitingAtMost: .zero)
            let other = try AppDatabase(path: path)
            let older = try Outbox<Wish>(database: alone, name: "test")
            _ = try Outbox<Wish>(database: other, name: "test")
            let refusal = #expect(throws: DatabaseFailure.self) { try older.claim() }
            #expect(refusal?.code == .takenOver)
            for database in [open, alone, other] { try database.close() }
        }
    }

    @Test func `a database that cannot be opened is left to others`() async throws {
        let path = path
        let disk = disk
        try disk.write(Array(repeating: 7, count: 8_192), to: "app.sqlite")
        try await phone.run {
            let failure = await #expect(throws: DatabaseFailure.self) {
                try await AppDatabase.alone(path: path, waitingAtMost: nil)
            }
            #expect(failure?.code == .damaged)
            try disk.remove("app.sqlite")
            try await AppDatabase.alone(path: path, waitingAtMost: .zero).close()
        }
    }
}

/// Takes a moment for each piece of work.
private struct SlowEffect: OutboxEffect {
    let done: CurrentValue<[String]>

    init(_ done: CurrentValue<[String]>) { self.done = done }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        guard (try? await Task.sleep(for: .milliseconds(Int.random(in: 100...900)))) != nil else {
            return .retry(WorkFailure("cancelled"))
        }
        return .done(attempt.entry.identity)
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {
        done.update { $0.append(receipt) }
    }
}
