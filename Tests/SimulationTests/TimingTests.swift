import Foundation
import Simulation
import SimulationTesting
import Testing

@Suite("Timing as outside", .simulated(seeds: 1...100))
struct TimingTests {
    @Test func `a sleep ends later than it was asked to, by microseconds`() async throws {
        let start = ContinuousClock.now
        for sleep in 1...10 {
            let deadline = ContinuousClock.now + .milliseconds(sleep)
            try await Task.sleep(until: deadline)
            #expect(ContinuousClock.now > deadline)
        }
        guard Simulation.current?.report.firings == [] else { return }
        #expect(ContinuousClock.now - start < .milliseconds(55) + .microseconds(10 * 70))
    }

    @Test func `dates show no sleep that was too short`() async throws {
        for _ in 0..<20 {
            let before = Date()
            try await Task.sleep(for: .milliseconds(50))
            #expect(Date().timeIntervalSince(before) >= 0.05)
        }
    }

    @Test func `a clock shows another time in each step`() async throws {
        var times: [ContinuousClock.Instant] = []
        for _ in 0..<50 {
            times.append(.now)
            await Task.yield()
        }
        #expect(Set(times).count == times.count)
        #expect(times == times.sorted())
    }
}

@Suite("Timing of many seeds")
struct TimingSearchTests {
    private static let late: Simulation.Configuration = {
        var configuration = Simulation.Configuration()
        configuration.timing = .drawn
        return configuration
    }()

    /// The order in which sleeps end that begin at one moment.
    private static func order(seed: UInt64, _ durations: [Duration]) throws -> (
        value: [Int], report: SimulationReport
    ) {
        try Simulation(seed: seed, configuration: late).runReporting {
            let order = Shared<[Int]>([])
            let start = ContinuousClock.now
            await withTaskGroup { group in
                for (number, duration) in durations.enumerated() {
                    group.addTask {
                        try? await Task.sleep(until: start + duration)
                        order.withLock { $0.append(number) }
                    }
                }
            }
            return order.withLock { $0 }
        }
    }

    @Test func `sleeps until one moment end in any order`() throws {
        let orders = try Set((1...50).map { try Self.order(seed: $0, [.seconds(1), .seconds(1)]).value })
        #expect(orders == [[0, 1], [1, 0]])
    }

    @Test func `sleeps that end one after the other do so in their order`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let order = try Self.order(
                seed: seed,
                [.microseconds(1100), .microseconds(1000), .microseconds(1300)]
            )
            #expect(order.value == [1, 0, 2])
        }
    }

    @Test func `seeds differ in how late a sleep ends, and one seed does not`() throws {
        let times = try (1...50).map { try Self.order(seed: $0, [.seconds(1)]).report.time }
        #expect(Set(times).count > 40)
        #expect(times.allSatisfy { $0 > .seconds(1) && $0 < .seconds(1) + .microseconds(70) })
        #expect(try times == (1...50).map { try Self.order(seed: $0, [.seconds(1)]).report.time })
    }

    @Test func `time is exact where that is asked for, and where the thread pool is never late`() throws {
        var exact = Simulation.Configuration()
        exact.stalls = .drawn
        exact.faults = .none
        exact.timing = .exact
        for configuration in [exact, Simulation.Configuration()] {
            let report = try Simulation(seed: 1, configuration: configuration).runReporting {
                try await Task.sleep(for: .seconds(1))
                await Task.yield()
            }.report
            #expect(report.time == .seconds(1))
        }
    }

    @Test func `a recipe says where time is exact`() throws {
        #expect(Recipe(seed: 1).configuration.timing == .drawn)
        let recipe = try #require(Recipe("seed=1 timing=exact"))
        #expect(recipe.configuration.timing == .exact)
        #expect(recipe.description == "seed=1 timing=exact")
        #expect(Recipe("seed=1 timing=late") == nil)
    }
}

@Suite("Tasks that wait in a loop")
struct LoopTests {
    private func run(
        _ timing: Simulation.Configuration.Timing,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws
        -> SimulationReport
    {
        var configuration = Simulation.Configuration()
        configuration.timing = timing
        return try Simulation(seed: 1, configuration: configuration).runReporting(body).report
    }

    @Test(arguments: [Simulation.Configuration.Timing.exact, .drawn])
    func `a loop that yields until a sleeper has set a flag ends`(_ timing: Simulation.Configuration.Timing)
        throws
    {
        let report = try run(timing) {
            let flag = Shared(false)
            let sleeper = Task {
                try await Task.sleep(for: .seconds(1))
                flag.withLock { $0 = true }
            }
            while !flag.withLock({ $0 }) { await Task.yield() }
            try await sleeper.value
        }
        #expect(report.steps < 100_000)
        #expect(report.time < .seconds(1.01))
    }

    @Test func `two such loops end as soon as one`() throws {
        let report = try run(.drawn) {
            let flag = Shared(false)
            let sleeper = Task {
                try await Task.sleep(for: .seconds(1))
                flag.withLock { $0 = true }
            }
            let other = Task { while !flag.withLock({ $0 }) { await Task.yield() } }
            while !flag.withLock({ $0 }) { await Task.yield() }
            try await sleeper.value
            await other.value
        }
        #expect(report.steps < 100_000)
    }

    @Test func `a long computation that yields hardly comes near a time limit`() throws {
        _ = try run(.drawn) {
            let limit = Task {
                try await Task.sleep(for: .seconds(30))
                Issue.record("the time limit has passed")
            }
            for _ in 0..<100_000 { await Task.yield() }
            limit.cancel()
            _ = await limit.result
        }
    }

    @Test(arguments: [Simulation.Configuration.Timing.exact, .drawn])
    func `a loop that polls a clock ends, however far away the time is`(
        _ timing: Simulation.Configuration.Timing
    ) throws {
        let report = try run(timing) {
            let end = ContinuousClock.now + .seconds(86_400)
            while ContinuousClock.now < end { await Task.yield() }
        }
        #expect(report.steps < 100_000)
    }
}
