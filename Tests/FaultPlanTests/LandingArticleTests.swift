import FaultPlans
import SimulatedTransport
import Simulation
import Testing

// What the landing article of FaultPlans shows, word for word; a house rule compares them.

@Test func `a plan cuts the phone off for ten seconds`() throws {
    let plan = try FaultPlan(
        text: """
            version: 1
            links: [{from: phone, to: server, loss: 0.1}]
            events: [{at: 5, do: partition, on: [phone, server], for: 10}]
            """
    )
    try Simulation(seed: 7).run {
        let network = SimulatedNetwork()
        for name in ["phone", "server"] { network.host(name) }
        try plan.apply(network: network)
        try await Task.sleep(for: .seconds(8))
        #expect(network.link(from: "phone", to: "server").isPartitioned)
        try await Task.sleep(for: .seconds(8))
        #expect(!network.link(from: "phone", to: "server").isPartitioned)
    }
}
