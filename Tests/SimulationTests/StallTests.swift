import Simulation
import Testing

@Suite("Stalls")
struct StallTests {
    private func configuration(_ adjust: (inout Simulation.Configuration) -> Void = { _ in })
        -> Simulation.Configuration
    {
        var configuration = Simulation.Configuration()
        configuration.stalls = .drawn
        adjust(&configuration)
        return configuration
    }

    /// Whether a limit ends before the answer, which needs 20 more steps from a moment that lies a little earlier.
    @Sendable private static func timesOut(_ distance: Duration) async -> Bool {
        let order = Shared<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await Task.sleep(for: .seconds(1))
                order.withLock { $0.append("limit") }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(1) - distance)
                for _ in 0..<20 { await Task.yield() }
                order.withLock { $0.append("answer") }
            }
        }
        return order.withLock { $0.first } == "limit"
    }

    @Test(arguments: [Duration.nanoseconds(1), .microseconds(1), .milliseconds(1)])
    func `a limit that is a little later than the answer comes before and after it`(_ distance: Duration)
        throws
    {
        let early = try (1...1000 as ClosedRange<UInt64>).count { seed in
            try Simulation(seed: seed, configuration: configuration()).run { await Self.timesOut(distance) }
        }
        #expect(early >= 20)
        #expect(early <= 980)
    }

    @Test func `without stalls time is exact, and the later one comes later`() throws {
        for seed in 1...100 as ClosedRange<UInt64> {
            let (isEarly, report) = try Simulation(seed: seed).runReporting {
                await Self.timesOut(.nanoseconds(1))
            }
            #expect(!isEarly)
            #expect(report.time == .seconds(1))
        }
    }

    @Test func `stalls are faults: they are listed, and a run of these alone is the same`() throws {
        let stalled = try #require(
            try (1...100 as ClosedRange<UInt64>).lazy.compactMap { seed -> SimulationReport? in
                let report = try Simulation(seed: seed, configuration: configuration()).runReporting {
                    await Self.timesOut(.milliseconds(1))
                }.report
                return report.firings.count > 2 ? report : nil
            }.first
        )
        #expect(stalled.firings.allSatisfy { $0.source == "stall" })
        let again = try Simulation(
            seed: stalled.seed,
            configuration: configuration { $0.faults = .only(Set(stalled.firings)) }
        ).runReporting { await Self.timesOut(.milliseconds(1)) }.report
        #expect(again.hash == stalled.hash)
        let none = try Simulation(seed: stalled.seed, configuration: configuration { $0.faults = .none })
            .runReporting { await Self.timesOut(.milliseconds(1)) }.report
        #expect(none.firings == [])
        #expect(none.time == .seconds(1))
    }

    @Test func `a stall is as long whichever others happen`() throws {
        let seed = try #require(
            try (1...100 as ClosedRange<UInt64>).first { seed in
                try Simulation(seed: seed, configuration: configuration()).runReporting {
                    await Self.timesOut(.milliseconds(1))
                }.report.firings.count > 3
            }
        )
        let notes = Shared<[String]>([])
        func run(_ faults: FaultPolicy) throws -> [String] {
            notes.withLock { $0 = [] }
            let configuration = configuration {
                $0.faults = faults
                $0.onEvent = { event in
                    if event.detail.hasPrefix("stall ") && event.detail.hasSuffix("ns") {
                        notes.withLock { $0.append(event.detail) }
                    }
                }
            }
            try Simulation(seed: seed, configuration: configuration).run {
                _ = await Self.timesOut(.milliseconds(1))
            }
            return notes.withLock { $0 }
        }
        let all = try run(.drawn)
        let first = try run(.only([Firing(source: "stall", decision: firstStall(seed: seed))]))
        #expect(all.count > 3)
        #expect(first == Array(all.prefix(1)))
    }

    private func firstStall(seed: UInt64) throws -> Int {
        let report = try Simulation(seed: seed, configuration: configuration()).runReporting {
            await Self.timesOut(.milliseconds(1))
        }.report
        return try #require(report.firings.first).decision
    }

    @Test func `faults that are healed include stalls`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            let report = try Simulation(seed: seed, configuration: configuration()).runReporting {
                Simulation.current?.heal()
                _ = await Self.timesOut(.milliseconds(1))
            }.report
            #expect(report.firings == [])
        }
    }

    @Test func `a loop that polls a clock ends, also without stalls and without other tasks`() throws {
        for limit in [Duration.milliseconds(1), .seconds(60), .seconds(86_400)] {
            try Simulation(seed: 1).run {
                let end = ContinuousClock.now + limit
                while ContinuousClock.now < end { await Task.yield() }
            }
        }
    }

    @Test func `so does one that never suspends, and timers that fall due meanwhile fire`() throws {
        try Simulation(seed: 1).run {
            let fired = Shared<[Duration]>([])
            let simulation = Simulation.current
            let timer = Task {
                try await Task.sleep(for: .milliseconds(10))
                fired.withLock { $0.append(simulation?.now ?? .zero) }
            }
            await Task.yield()
            await Task.yield()
            let end = ContinuousClock.now + .milliseconds(20)
            while ContinuousClock.now < end { if Bool.random() { await Task.yield() } }
            try await timer.value
            // When it ran depends on when the loop let it.
            #expect(fired.withLock { $0.map { $0 >= .milliseconds(10) && $0 < .milliseconds(20) } } == [true])
            let spinning = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < spinning {}
        }
    }
}
