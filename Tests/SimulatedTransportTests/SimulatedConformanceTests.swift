import Conformance
import SimulatedTransport
import SimulationTesting
import Testing
import Transport
import TransportConformance

@Suite("Conformance of the simulated network", .simulated(seeds: 1...20))
struct SimulatedConformanceTests {
    @Test("between two hosts", arguments: TransportConformance.cases)
    func betweenHosts(_ test: TransportConformance.Case) async throws {
        let network = SimulatedNetwork(
            defaults: LinkConditions(latency: .exponential(mean: .milliseconds(20)))
        )
        let (phone, gemini) = (network.host("phone"), network.host("gemini"))
        let address = SocketAddress(host: "gemini", port: 0)
        // The one case whose limit is shorter than what the largest of these latencies can add up to.
        if test.id == "http.silence" { network["phone", "gemini"].latency = .constant(.zero) }
        try await test.run(with: TransportHarness(client: phone, host: gemini, address: address))
    }

    @Test("within one host", arguments: TransportConformance.cases)
    func withinHost(_ test: TransportConformance.Case) async throws {
        let phone = SimulatedNetwork().host("phone")
        try await test.run(with: TransportHarness(client: phone, host: phone))
    }
}
