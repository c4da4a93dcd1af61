import Foundation
import Observation
import Simulation
import SimulationTesting
import Testing

@Suite("Determinism")
struct DeterminismTests {
    @MainActor @Observable final class Counter {
        var count = 0
    }

    /// A bit of everything that product code does.
    @Sendable private static func everything() async throws -> String {
        let rows = try Rows()
        let counter = await Counter()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let producer = Task(name: "producer") {
            for number in 0..<10 {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 1...50)))
                continuation.yield(number)
            }
            continuation.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await Task.sleep(for: .microseconds(Int.random(in: 1...2000)))
                    try rows.insert("\(number) \(UUID())")
                    await MainActor.run { counter.count += 1 }
                    if number % 3 == 0 { Task.detached { await Task.yield() } }
                }
            }
            try await group.waitForAll()
        }
        var sum = 0
        for await number in stream { sum += number }
        await producer.value
        return await "\(try rows.all()) \(sum) \(counter.count) \(Date().timeIntervalSince1970)"
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every step of a second run is the same, also with real SQLite`(seed: UInt64) throws {
        let (first, report) = try Simulation.checkDeterminism(seed: seed, Self.everything)
        let (second, again) = try Simulation(seed: seed).runReporting(Self.everything)
        #expect(first == second)
        #expect(report.hash == again.hash)
        #expect(report.unfinishedTasks == 0)
    }

    @Test func `simulations on parallel threads do not disturb each other`() async throws {
        let alone = try (1...8).map { try Simulation(seed: $0).runReporting(Self.everything).report.hash }
        let together = try await withThrowingTaskGroup(of: (Int, UInt64).self) { group in
            for seed in 1...8 {
                group.addTask {
                    (seed, try Simulation(seed: UInt64(seed)).runReporting(Self.everything).report.hash)
                }
            }
            return try await group.reduce(into: [Int: UInt64]()) { $0[$1.0] = $1.1 }
        }
        #expect((1...8).map { together[$0] } == alone)
    }

    @Test func `what differs between two runs is found at its first step, with its place`() throws {
        let runs = Shared(0)
        let error = #expect(throws: SimulationError.self) {
            try Simulation.checkDeterminism(seed: 5) {
                let run = runs.withLock { count in
                    count += 1
                    return count
                }
                try await Task.sleep(for: .seconds(1))
                if run == 2 { _ = UInt64.random(in: 0...9) }
                try await Task.sleep(for: .seconds(1))
            }
        }
        guard case .diverged(let divergence, let seed) = error else {
            Issue.record("not a divergence: \(String(describing: error))")
            return
        }
        #expect(seed == 5)
        #expect(divergence.first?.draws == 0)
        #expect(divergence.second?.draws == 1)
        #expect(divergence.second?.time == .seconds(1))
        #expect(divergence.description.contains("random draws"))
        #expect(divergence.description.contains("DeterminismTests"))
    }

    @Test func `a run that ends early in the second run is a divergence`() throws {
        let runs = Shared(0)
        #expect(throws: SimulationError.self) {
            try Simulation.checkDeterminism(seed: 5) {
                let run = runs.withLock { count in
                    count += 1
                    return count
                }
                for _ in 0..<(run == 1 ? 5 : 3) { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    /// Where one run of the two waits forever.
    private func check(stuckIn runs: Set<Int>) throws {
        let count = Shared(0)
        try Simulation.checkDeterminism(seed: 5) {
            let run = count.withLock { count in
                count += 1
                return count
            }
            try await Task.sleep(for: .seconds(1))
            if runs.contains(run) {
                await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    @Test(arguments: [1, 2])
    func `a run that gets stuck beside one that does not is a divergence`(_ run: Int) throws {
        let error = #expect(throws: SimulationError.self) { try check(stuckIn: [run]) }
        guard case .diverged(let divergence, _) = error else {
            Issue.record("not a divergence: \(String(describing: error))")
            return
        }
        #expect([divergence.firstEnd, divergence.secondEnd].contains("stuck"))
        #expect(divergence.description.contains("in how the run ends"))
    }

    @Test func `two runs that get stuck at the same place are no divergence`() throws {
        let error = #expect(throws: SimulationError.self) { try check(stuckIn: [1, 2]) }
        #expect(error?.code == "stuck")
    }

    @Test func `an error in one run alone is a divergence`() throws {
        struct Wrong: Error {}
        let count = Shared(0)
        let error = #expect(throws: SimulationError.self) {
            try Simulation.checkDeterminism(seed: 5) {
                let run = count.withLock { count in
                    count += 1
                    return count
                }
                if run == 1 { throw Wrong() }
            }
        }
        #expect(error?.code == "diverged")
    }

    @Test func `the order of steps has a hash that times do not change`() throws {
        func report(_ pause: Duration, tasks: Int = 3) throws -> SimulationReport {
            var configuration = Simulation.Configuration()
            configuration.schedule = .firstInFirstOut
            return try Simulation(seed: 1, configuration: configuration).runReporting {
                await withTaskGroup { group in
                    for number in 1...tasks {
                        group.addTask { try? await Task.sleep(for: pause * number) }
                    }
                }
            }.report
        }
        let (one, other, more) = try (
            report(.seconds(1)), report(.seconds(2)), report(.seconds(1), tasks: 4)
        )
        #expect(one.hash != other.hash)
        #expect(one.order == other.order)
        #expect(one.order != more.order)
    }

    @Test func `an event that the world notes is part of the hash`() throws {
        func hash(_ text: String) throws -> UInt64 {
            try Simulation(seed: 1).runReporting { Simulation.current?.note("state", text) }.report.hash
        }
        #expect(try hash("a") == hash("a"))
        #expect(try hash("a") != hash("b"))
    }

    @Test(arguments: [0, 1, 2] as [UInt64])
    func `what depends on addresses shows`(seed: UInt64) throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation.checkDeterminism(seed: seed) {
                let objects = (0..<64).map { Shared($0) }
                let sorted = objects.sorted {
                    UInt(bitPattern: ObjectIdentifier($0)) < UInt(bitPattern: ObjectIdentifier($1))
                }
                return sorted.map { $0.withLock { $0 } }
            }
        }
        guard case .diverged(let divergence, _) = error else {
            Issue.record("not a divergence: \(String(describing: error))")
            return
        }
        #expect("\(divergence)".contains("with the result ["))
    }

    private enum Statics {
        static let id = UUID()
        static let other = UUID()
    }

    @Test func `a static variable does not change what the seed that comes first draws`() throws {
        @Sendable func draw() async -> UInt64 {
            #expect(Statics.id != Statics.other)
            return .random(in: 0...UInt64.max)
        }
        let first = try Simulation(seed: 8).run(draw)
        #expect(try Simulation(seed: 8).run(draw) == first)
        #expect(try Simulation(seed: 9).run(draw) != first)
    }
}
