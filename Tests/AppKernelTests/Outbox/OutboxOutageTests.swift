import AppKernel
import Concurrency
import Foundation
import GRDB
import SimulatedDisk
import Simulation
import SimulationTesting
import Synchronization
import TestSupport
import Testing

@Suite("Outbox: outages and poison", .simulated(seeds: 1...40))
struct OutboxOutageTests {
    private static func policy(concurrency: Int) -> OutboxPolicy {
        OutboxPolicy(
            retries: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4)),
            concurrency: concurrency
        )
    }

    private static func open(_ database: AppDatabase, concurrency: Int) throws -> Outbox<Wish> {
        try Outbox(database: database, name: "test", policy: policy(concurrency: concurrency))
    }

    @Test func `an outage of any length ends with all work done, and no one asks for it`() async throws {
        let database = try AppDatabase(path: ":memory:")
        // From a second to a day.
        let length = Duration.seconds(pow(10, Double.random(in: 0...4.95)))
        let store = Store(isDownUntil: .now + length)
        let concurrency = Int.random(in: 1...4)
        let outbox = try Self.open(database, concurrency: concurrency)
        let worker = OutboxWorker(outbox: outbox, effect: store)
        let running = Task { await worker.run() }
        let photos = (0..<Int.random(in: 1...12)).map { "photo \($0)" }
        for photo in photos {
            let lane = Bool.random() ? "album" : nil
            try outbox.add(Wish(text: photo, lane: lane), identity: photo)
            try await Task.sleep(for: length * Double.random(in: 0...0.08))
        }
        let left = store.isDownUntil - .now
        if left > .zero { try await Task.sleep(for: left) }
        // What has given up begins again after ten minutes at the latest, and an album is done one photo after the other.
        try await Task.sleep(for: .seconds(700))
        #expect(try outbox.entries().isEmpty, "\(length), \(concurrency) at a time")
        #expect(Set(store.stored.withLock { $0 }) == Set(photos))
        #expect(store.stored.withLock { $0.count } == photos.count)
        running.cancel()
        await running.value
    }

    @Test func `work that ends the process delays other work by three starts at most, whatever else is done`()
        async throws
    {
        let phone = try #require(Simulation.current).node("phone")
        let disk = SimulatedDisk(node: phone)
        let concurrency = Int.random(in: 1...5)
        let names = (0..<8).map { "work \($0)" }
        let poison = try #require(names.randomElement())
        let done = CurrentValue<[String]>([])
        for start in 1...10 {
            let effect = PoisonedEffect(poison, done)
            let watch = Task {
                for await hasEnded in effect.hasEnded.values() where hasEnded { phone.crash() }
            }
            do {
                let left = try await phone.run {
                    let database = try AppDatabase(path: disk.databasePath("app.sqlite"))
                    let outbox = try Self.open(database, concurrency: concurrency)
                    if start == 1 {
                        try database.write("add work") { database in
                            for name in names {
                                try outbox.add(Wish(text: name), identity: name, in: database)
                            }
                        }
                    }
                    await OutboxWorker(outbox: outbox, effect: effect).processQueue()
                    return try outbox.entries()
                }
                watch.cancel()
                #expect(start <= 4, "three starts end with the process")
                #expect(left.map(\.identity) == [poison] && left.allSatisfy(\.isSetAside), "\(left)")
                #expect(Set(done.value) == Set(names).subtracting([poison]))
                return
            } catch is NodeCrashed { phone.restart() }
        }
        Issue.record("the process ends at every start")
    }
}

/// Refuses everything until a time.
private final class Store: OutboxEffect {
    let isDownUntil: ContinuousClock.Instant
    let stored = Mutex<[String]>([])

    init(isDownUntil: ContinuousClock.Instant) { self.isDownUntil = isDownUntil }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...900)))
        return .now < isDownUntil ? .retry(WorkFailure("503")) : .done(attempt.entry.identity)
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {
        stored.withLock { $0.append(receipt) }
    }
}

/// Ends the process with one entry, a moment after that has begun, and does all others.
private final class PoisonedEffect: OutboxEffect {
    let hasEnded = CurrentValue(false)
    private let poison: String
    private let done: CurrentValue<[String]>

    init(_ poison: String, _ done: CurrentValue<[String]>) {
        self.poison = poison
        self.done = done
    }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
        if attempt.entry.identity == poison {
            hasEnded.set(true)
            try? await Task.sleep(for: .seconds(100_000))
        }
        return .done(attempt.entry.identity)
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {
        done.update { $0.append(receipt) }
    }
}
