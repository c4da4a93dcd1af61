import SimulatedTransport
import SimulationTesting
import Testing
import Transport

@Suite("Behaviour of every transport, simulated", .simulated(seeds: 1...50))
struct SimulatedBehaviourTests {
    @Test("between two hosts", arguments: TransportBehaviour.cases)
    func betweenHosts(_ behaviour: TransportBehaviour.Case) async throws {
        let network = SimulatedNetwork(
            defaults: LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        )
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        let address = SocketAddress(host: "gemini", port: 0)
        // No timeout of the suite's is shorter than what the largest of these latencies can add up to, but one.
        if behaviour.testDescription.contains("silent") {
            network["phone", "gemini"].latency = .constant(.zero)
        }
        try await behaviour.run(TransportBehaviour(client: phone, host: gemini, address: address))
    }

    @Test("within one host", arguments: TransportBehaviour.cases)
    func withinHost(_ behaviour: TransportBehaviour.Case) async throws {
        let phone = SimulatedNetwork().host("phone")
        try await behaviour.run(TransportBehaviour(client: phone, host: phone, address: .loopback()))
    }
}
