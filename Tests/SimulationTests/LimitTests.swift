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
