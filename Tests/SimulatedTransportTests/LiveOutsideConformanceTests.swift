import Conformance
import Foundation
import HTTPTypes
import LiveTransport
import SimulatedTransport
import Simulation
import Testing
import Transport
import TransportConformance

/// Hosts on real sockets what a program in a simulation asks for.
private struct OutsideHost: ServerHost {
    let base: LoopbackHost

    func listen(_ server: any Server, at address: SocketAddress) async throws(TransportError) -> any Listener
    {
        let base = base
        let listener = try await Simulation.outside { () async throws(TransportError) -> any Listener in
            try await base.listen(server, at: address)
        }
        return OutsideListener(base: listener)
    }
}

private struct OutsideListener: Listener {
    let base: any Listener
    var address: SocketAddress { base.address }

    func stop() async {
        let base = base
        await Simulation.outside { await base.stop() }
    }
}

@Suite("Conformance of a transport outside of the simulation", .timeLimit(.minutes(5)))
struct LiveOutsideConformanceTests {
    private static let cases = TransportConformance.cases.filter(\.needs.isEmpty)

    @Test("from a simulation in real pace to loopback sockets", arguments: cases)
    func fromSimulation(_ test: TransportConformance.Case) async throws {
        let client = try LiveTransport()
        let host = try LoopbackHost()
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        let simulation = Simulation(seed: 1, configuration: configuration)
        // A simulation blocks its thread, and the sockets need those of Swift's pool.
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let harness = TransportHarness(
                    client: OutsideTransport(client),
                    host: OutsideHost(base: host)
                )
                continuation.resume(
                    returning: Result { _ = try simulation.run { try await test.run(with: harness) } }
                )
            }
        }
        await client.shutdown()
        try result.get()
    }
}
