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
            #expect(Int64(Date().timeIntervalSince(before) * 1_000_000_000) > 50_000_000)
        }
    }

    @Test func `a deadline is over when the sleep until it is`() async throws {
        let deadline = Date(timeIntervalSinceNow: 0.005)
        try await Task.sleep(for: .seconds(deadline.timeIntervalSinceNow))
        #expect(Date.now > deadline)
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

private let exact: Simulation.Configuration = {
    var configuration = Simulation.Configuration()
    configuration.timing = .exact
    return configuration
}()

@Suite("Exact timing", .simulated(seeds: 1...100, configuration: exact))
struct ExactTimingTests {
    @Test func `a configuration has time exact, also where the thread pool may be late`() async throws {
        let start = ContinuousClock.now
        try await Task.sleep(for: .seconds(1))
        // Nothing else was ready, so that the pool was not late.
        #expect(ContinuousClock.now - start == .seconds(1))
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
                #expect(ContinuousClock().measure {} == .zero)
            }.report
            #expect(report.time == .seconds(1))
        }
    }

    /// Read in one of the runs of a process alone.
    private static let firstUse = (0..<100).map { _ in ContinuousClock.now }

    @Test func `a static variable that reads clocks while it is made does not shift its run`() throws {
        let times = try (1...2).map { _ in
            try Simulation(seed: 1, configuration: Self.late).runReporting {
                #expect(Self.firstUse.count == 100)
                await Task.yield()
            }.report.time
        }
        #expect(times[0] == times[1] && times[0] > .zero)
    }

    @Test func `a loop that polls a clock ends, however far away the time is`() throws {
        let report = try Simulation(seed: 1, configuration: Self.late).runReporting {
            let end = ContinuousClock.now + .seconds(86_400)
            while ContinuousClock.now < end { await Task.yield() }
        }.report
        #expect(report.steps < 100_000)
    }

    @Test func `a recipe says where time is exact`() throws {
        #expect(Recipe(seed: 1).configuration.timing == .drawn)
        let recipe = try #require(Recipe("seed=1 timing=exact"))
        #expect(recipe.configuration.timing == .exact)
        #expect(recipe.description == "seed=1 timing=exact")
        #expect(Recipe("seed=1 stalls=none timing=drawn")?.configuration.timing == .drawn)
        #expect(Recipe("seed=1 timing=late") == nil)
    }
}
