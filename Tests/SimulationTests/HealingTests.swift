import Simulation
import SimulationTesting
import Testing

@Suite("Healing", .simulated(seeds: 1...5, stalls: .none))
struct HealingTests {
    private let simulation: Simulation

    init() throws { simulation = try #require(Simulation.current) }

    @Test func `a healed world has no more faults, also certain ones`() {
        let source = simulation.faultSource("spark")
        #expect(source.fires(probability: 1) != nil)
        simulation.heal()
        #expect(source.fires(probability: 1) == nil)
        #expect(simulation.faultSource("another").fires(probability: 1) == nil)
    }

    @Test func `a world is healed once`() {
        let healed = Shared(0)
        simulation.onHeal { healed.withLock { $0 += 1 } }
        simulation.heal()
        simulation.heal()
        #expect(healed.withLock { $0 } == 1)
    }

    @Test func `crashed nodes start their programs again, and those without one stay down`() async throws {
        let lives = Shared(0)
        let (server, empty) = (simulation.node("server"), simulation.node("empty"))
        server.start { lives.withLock { $0 += 1 } }
        try await Task.sleep(for: .seconds(1))
        server.crash()
        empty.crash()
        simulation.heal()
        try await Task.sleep(for: .seconds(1))
        #expect(server.isAlive)
        #expect(!empty.isAlive)
        #expect(lives.withLock { $0 } == 2)
    }

    @Test func `what must become true is asked for until its limit, and no longer`() async throws {
        let asked = Shared(0)
        let violation = await #expect(throws: PropertyViolation.self) {
            try await simulation.eventually("it ends", within: .seconds(1)) {
                asked.withLock { $0 += 1 }
                return false
            }
        }
        #expect(violation?.position?.time == .seconds(1))
        #expect(violation?.seen == "not within 1.0 seconds")
        // At the beginning, and after each interval.
        #expect(asked.withLock { $0 } == 11)
    }

    @Test func `what becomes true at its limit has become true`() async throws {
        let simulation = simulation
        try await simulation.eventually("it ends", within: .seconds(1)) { simulation.now >= .seconds(1) }
        #expect(simulation.now == .seconds(1))
    }
}
