import AppKernel
import Concurrency
import GRDB
import Simulation
import SimulationTesting
import Testing

@Suite("Outbox: progress and series of failures", .simulated(seeds: 1...20))
struct OutboxSeriesTests {
    /// Three repetitions, and then none before somebody asks.
    private static let policy = OutboxPolicy(
        retries: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4)),
        exhaustion: .waits(atMost: nil)
    )

    private let outbox: Outbox<Wish>
    private let failures = CurrentValue<[OutboxChange<Wish>.Event]>([])

    init() throws {
        outbox = try Outbox(database: AppDatabase(path: ":memory:"), name: "test", policy: Self.policy)
        outbox.watch { [failures] change in
            if case .failed = change.event { failures.update { $0.append(change.event) } }
        }
    }

    /// Works at a film, with places at which its attempts end, until nothing happens by itself any more.
    private func work(_ places: [[Int]]) async throws {
        let running = Task { [outbox] in
            await OutboxWorker(outbox: outbox, effect: PlacesEffect(places)).run()
        }
        try await Task.sleep(for: .seconds(20 * (places.count + 4)))
        running.cancel()
        await running.value
    }

    private var hasGivenUp: Bool {
        failures.value.contains { if case .failed(_, _, retriesItself: false) = $0 { true } else { false } }
    }

    @Test func `work that comes further in each attempt is repeated until it is done`() async throws {
        try outbox.add(Wish(text: "film"), identity: "film")
        var place = 0
        let places = (0..<Int.random(in: 5...30)).map { _ in
            (0..<Int.random(in: 1...3)).map { _ in
                place += Int.random(in: 1...1_000)
                return place
            }
        }
        try await work(places)
        #expect(!hasGivenUp)
        #expect(failures.value.count == places.count)
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `two attempts that gain nothing may lie between two that do`() async throws {
        try outbox.add(Wish(text: "film"), identity: "film")
        var places: [[Int]] = []
        for place in 1...5 {
            places.append([place])
            for _ in 0..<Int.random(in: 0...2) {
                places.append(Bool.random() ? [] : [Int.random(in: 0...place)])
            }
        }
        try await work(places)
        #expect(!hasGivenUp)
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `work that falls back and comes no further than before is given up`() async throws {
        try outbox.add(Wish(text: "film"), identity: "film")
        let farthest = Int.random(in: 1...5)
        // As where a service forgets each time what it has.
        let again = (0..<9).map { _ in Array(0...Int.random(in: 0...farthest)) }
        try await work([Array(0...farthest)] + again)
        #expect(failures.value.count == 4)
        #expect(hasGivenUp)
        let entry = try #require(try outbox.entries().first)
        #expect(entry.state == .failed && entry.due == nil)
    }

    @Test func `who asks again starts a series in which the way counts from its beginning`() async throws {
        try outbox.add(Wish(text: "film"), identity: "film")
        try await work([[5], [], [], [], []])
        #expect(failures.value.count == 4 && hasGivenUp)
        if Bool.random() { #expect(try outbox.retry("film")) } else { try outbox.revive() }
        try await work([[1], [2], [3], [4], [5], [6]])
        #expect(failures.value.count == 10)
        #expect(try outbox.entries().isEmpty)
    }
}

/// Comes to the places of each attempt in turn, fails after them, and is done after the last attempt's.
private final class PlacesEffect: OutboxEffect {
    private let left: CurrentValue<[[Int]]>

    init(_ places: [[Int]]) { left = CurrentValue(places) }

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        let places = left.update { left in left.isEmpty ? nil : left.removeFirst() }
        guard let places else { return .done("film") }
        for place in places {
            do throws(DatabaseFailure) { try attempt.save(place, progress: place) } catch {
                return .failed(WorkFailure("\(error)"))
            }
        }
        return .retry(WorkFailure("the link broke"))
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {}
}
