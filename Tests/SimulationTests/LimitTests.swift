import Simulation
import Testing

@Suite("Limits")
struct LimitTests {
    @Test func `a test that waits for what never comes ends although a heartbeat goes on`() throws {
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                let beat = Task(name: "heartbeat") {
                    while !Task.isCancelled { try await Task.sleep(for: .milliseconds(100)) }
                }
                await suspendForEver()
                beat.cancel()
            }
        }
        guard case .waitLimit(let report, _) = error else { throw error }
        #expect(report.waiting.contains { $0.name == "heartbeat" })
        #expect(report.waiting.contains { $0.name == "body" })
        #expect(report.position.time < .seconds(86_402))
    }

    @Test func `a body that sleeps longer than that is not waiting`() throws {
        let report = try Simulation(seed: 1).runReporting {
            let beat = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(600)) } }
            try await Task.sleep(for: .seconds(40 * 86_400))
            beat.cancel()
        }.report
        #expect(report.time == .seconds(40 * 86_400))
    }

    @Test func `a sleep until the end of time is one`() throws {
        var configuration = Simulation.Configuration()
        configuration.maximumTime = .seconds(Int64.max)
        let report = try Simulation(seed: 1, configuration: configuration).runReporting {
            let sleepers = [
                Task { try await Task.sleep(nanoseconds: .max) },
                // Whose end nanoseconds cannot tell.
                Task { try await Task.sleep(for: .seconds(Int64.max / 2)) },
                Task { try await SuspendingClock().sleep(until: .now + .seconds(Int64.max / 2)) },
            ]
            try await Task.sleep(for: .seconds(1))
            for sleeper in sleepers { sleeper.cancel() }
            for sleeper in sleepers {
                await #expect(throws: CancellationError.self) { try await sleeper.value }
            }
            Simulation.current?.schedule(after: .seconds(Int64.max)) {
                Issue.record("that moment never comes")
            }
        }.report
        #expect(report.time == .seconds(1))
    }

    @Test func `of thousands of sleeps those that are not cancelled end in their order`() throws {
        let report = try Simulation(seed: 1).runReporting {
            let woken = Shared<[Int]>([])
            let sleepers = (0..<3_000).map { number in
                Task {
                    try await Task.sleep(for: .milliseconds(number * 7919 % 3_000))
                    woken.withLock { $0.append(number * 7919 % 3_000) }
                }
            }
            await Task.yield()
            for (number, sleeper) in sleepers.enumerated() where number % 10 != 0 { sleeper.cancel() }
            for sleeper in sleepers { _ = await sleeper.result }
            let order = woken.withLock { $0 }
            #expect(order.count == 300)
            #expect(order == order.sorted())
        }.report
        #expect(report.time < .seconds(3))
    }

    @Test func `a simulation runs once`() throws {
        let simulation = Simulation(seed: 1)
        try simulation.run {}
        let error = try #require(throws: SimulationError.self) { try simulation.run {} }
        guard case .usedUp = error else { throw error }
        #expect(simulation.report.steps == 1)
    }

    @Test func `a cancelled sleep costs no time`() throws {
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                let sleeper = Task { try await Task.sleep(for: .seconds(100)) }
                await Task.yield()
                sleeper.cancel()
                await suspendForEver()
            }
        }
        guard case .stuck(let report) = error else { throw error }
        #expect(report.position.time == .zero)
    }

    @Test func `a run may take as many steps as its limit says, and no more`() throws {
        @Sendable func body() async { for _ in 0..<20 { await Task.yield() } }
        let steps = try Simulation(seed: 1).runReporting(body).report.steps
        func run(limit: Int) throws {
            var configuration = Simulation.Configuration()
            configuration.maximumSteps = UInt64(limit)
            try Simulation(seed: 1, configuration: configuration).run(body)
        }
        try run(limit: steps)
        let error = try #require(throws: SimulationError.self) { try run(limit: steps - 1) }
        guard case .stepLimit(let report) = error else { throw error }
        #expect(report.position.step == steps - 1)
    }
}

private func suspendForEver() async {
    await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
