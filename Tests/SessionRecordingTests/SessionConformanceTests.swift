import Conformance
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport
import TransportConformance

/// Where a replay finds the addresses of the recorded run's listeners, in their order; nobody listens.
private actor RecordedHost: ServerHost {
    private var addresses: [SocketAddress]

    init(_ addresses: [SocketAddress]) { self.addresses = addresses }

    func listen(_ server: any Server, at address: SocketAddress) async throws(TransportError) -> any Listener
    {
        RecordedListener(address: addresses.removeFirst())
    }
}

private struct RecordedListener: Listener {
    let address: SocketAddress
    func stop() async {}
}

/// Notes the addresses at which another host listens.
private struct NotingHost: ServerHost {
    let base: any ServerHost
    let addresses: Box<[SocketAddress]>

    func listen(_ server: any Server, at address: SocketAddress) async throws(TransportError) -> any Listener
    {
        let listener = try await base.listen(server, at: address)
        addresses.append(listener.address)
        return listener
    }
}

@Suite("Conformance of recording and replaying")
struct SessionConformanceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a case over the simulated network through a recorder; gives the file and the listeners' addresses.
    private func record(_ test: TransportConformance.Case) throws -> (
        path: String, addresses: [SocketAddress]
    ) {
        let path = folder.path + "/case"
        let manifest = SessionManifest(
            scenario: test.id,
            fidelity: .simulated,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "test"
        )
        let writer = try SessionWriter(path: path, manifest: manifest)
        let addresses = Box<[SocketAddress]>([])
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))
            _ = try await test.run(
                with: TransportHarness(
                    client: RecordingTransport(
                        network.host("phone"),
                        writer: writer,
                        clock: SessionClock(),
                        datagrams: PlainDatagrams()
                    ),
                    host: NotingHost(base: network.host("peer"), addresses: addresses),
                    address: SocketAddress(host: "peer", port: 0)
                )
            )
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return (path, addresses.value)
    }

    @Test(
        "a transport that records behaves as the one that it records",
        arguments: TransportConformance.cases
    )
    func recording(_ test: TransportConformance.Case) throws { _ = try record(test) }

    private static let replayed = TransportConformance.cases.filter(\.needs.isEmpty)

    @Test("what was recorded behaves as it did when it is replayed", arguments: replayed)
    func replaying(_ test: TransportConformance.Case) throws {
        let (path, addresses) = try record(test)
        let session = try SessionReader(path: path)
        let comparison = Comparison()
        try Simulation(seed: 2).run {
            let transport = try ReplayTransport(
                session,
                clock: SessionClock(),
                comparison: comparison,
                datagrams: PlainDatagrams()
            )
            _ = try await test.run(
                with: TransportHarness(client: transport, host: RecordedHost(addresses))
            )
            transport.finish()
        }
        #expect(comparison.firstDifference == nil)
    }
}
