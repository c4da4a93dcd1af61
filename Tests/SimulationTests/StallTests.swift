import Simulation
import Testing

@Suite("Stalls")
struct StallTests {
    private func configuration(_ adjust: (inout Simulation.Configuration) -> Void = { _ in })
        -> Simulation.Configuration
    {
        var configuration = Simulation.Configuration()
        configuration.stalls = .drawn
        configuration.timing = .exact
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

    @Test func `with its decisions and stalls written out, each of 200 seeds goes the same way again`() throws
    {
        var stalled = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            // The later timer is further away than any stall but the first reaches.
            let distance = Duration.milliseconds(50)
            let report = try Simulation(
                seed: seed,
                configuration: configuration { $0.recordsDecisions = true }
            )
            .runReporting { await Self.timesOut(distance) }.report
            let written = configuration {
                $0.schedule = .replaying(report.decisions)
                $0.faults = .only(Set(report.firings))
            }
            let again = try Simulation(seed: seed, configuration: written)
                .runReporting { await Self.timesOut(distance) }.report
            #expect(again.hash == report.hash && again.time == report.time, "seed \(seed)")
            if !report.firings.isEmpty { stalled += 1 }
        }
        #expect(stalled > 50)
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

    /// Runs a task that yields for long beside one that sleeps, and gives the time at which it woke while the other still yielded.
    private func wakingTime(seed: UInt64, after pause: Duration) throws -> (
        time: Duration?, report: SimulationReport
    ) {
        let (time, report) = try Simulation(seed: seed, configuration: configuration()).runReporting {
            let isDone = Shared(false)
            let sleeper = Task {
                try await Task.sleep(for: pause)
                return isDone.withLock { $0 } ? nil : Simulation.current?.now
            }
            for _ in 0..<400 { await Task.yield() }
            isDone.withLock { $0 = true }
            return try await sleeper.value
        }
        return (time, report)
    }

    @Test func `a stall often ends in the very moment in which a timer is due`() throws {
        let pause = Duration.nanoseconds(777_777)
        let times = try (1...200 as ClosedRange<UInt64>).compactMap {
            try wakingTime(seed: $0, after: pause).time
        }
        let exact = times.count { $0 == pause }
        #expect(exact >= 10)
    }

    @Test func `at most moments the pool is not late`() throws {
        let shares = try (1...200 as ClosedRange<UInt64>).map { seed in
            let report = try wakingTime(seed: seed, after: .seconds(3600)).report
            return Double(report.firings.count) / Double(report.steps)
        }
        // In half of the seeds never, and at one moment of four where it is late most often.
        #expect(shares.count { $0 == 0 } > 50)
        #expect(shares.contains { $0 > 0.2 })
        #expect(shares.allSatisfy { $0 < 0.35 })
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

    @Test func `a task that only stamps what it does is hardly late`() throws {
        try Simulation(seed: 1).run {
            let (stream, source) = AsyncStream.makeStream(of: Int.self)
            let producer = Task {
                for number in 0..<20_000 { source.yield(number) }
                source.finish()
            }
            var last = ContinuousClock.now
            let start = last
            for await _ in stream { last = ContinuousClock.now }
            await producer.value
            for _ in 0..<20_000 { last = ContinuousClock.now }
            #expect(last - start < .seconds(60))
        }
    }

    @Test func `a loop that polls a clock in a task that begins on an actor ends`() throws {
        try Simulation(seed: 1).run { try await Clockwork().poll(for: .milliseconds(5)) }
    }

    private actor Clockwork {
        func poll(for duration: Duration) async throws {
            try await Task {
                _ = self
                let end = ContinuousClock.now + duration
                while ContinuousClock.now < end {}
                try Task.checkCancellation()
            }.value
        }
    }
}
