import Deliveries
import ScenarioKit
import Simulation
import SimulationTesting
import Testing

@Suite("The promise of the outbox")
struct DeliveryStormTests {
    @Test(.simulated(seeds: 1...150))
    func `what was accepted takes effect exactly once or is reported failed`() async throws {
        _ = try await DeliveryStorm().run()
    }

    @Test(.simulated(seeds: 1...100, configuration: .swarm))
    func `the promise holds under drawn plans of faults`() async throws {
        _ = try await DeliveryStorm().run()
    }
}

extension Simulation.Configuration {
    /// With a plan of faults that each seed draws.
    fileprivate static var swarm: Self {
        var configuration = Self()
        configuration.plan = "swarm"
        return configuration
    }
}
