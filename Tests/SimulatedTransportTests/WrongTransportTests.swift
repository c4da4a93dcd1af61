import Conformance
import SimulatedTransport
import Simulation
import Testing
import Transport
import TransportConformance

@Suite("The suite of conformance itself")
struct WrongTransportTests {
    /// The case that was written for each flaw; others may notice it too.
    private static let noticedBy: [(WrongTransport.Flaw, String)] = [
        (.losesTheLastByteOfBodies, "http.stream"), (.endsShortBodiesInSilence, "http.short"),
        (.refusedIsReset, "http.refused"), (.neverTimesOut, "http.silence"),
        (.cannotBeCancelled, "http.abandoned"),
        (.hidesTheStatusOfRefusals, "ws.refused"), (.losesTheLastByteOfMessages, "ws.echo"),
        (.givesTextAsBytes, "ws.echo"), (.everyEndIsNormal, "ws.client-closes"),
        (.endsOnlyOnce, "ws.session-returns"), (.sendsAfterTheEnd, "ws.client-closes"),
        (.cancelledIsClosed, "ws.cancelled-receive"),
    ]

    @Test("a transport with one flaw fails the case that is about it, by a requirement", arguments: noticedBy)
    func flawed(_ flaw: WrongTransport.Flaw, _ id: String) throws {
        let test = try #require(TransportConformance.cases.first { $0.id == id })
        #expect(throws: ConformanceFailure.self) {
            try Simulation(seed: 1).run {
                let network = SimulatedNetwork()
                let client = WrongTransport(base: network.host("phone"), flaw: flaw)
                let address = SocketAddress(host: "peer", port: 0)
                _ = try await test.run(
                    with: TransportHarness(client: client, host: network.host("peer"), address: address)
                )
            }
        }
    }

    @Test func `every flaw is tried, and identifiers are distinct`() {
        #expect(Set(Self.noticedBy.map(\.0)) == Set(WrongTransport.Flaw.allCases))
        #expect(Set(TransportConformance.cases.map(\.id)).count == TransportConformance.cases.count)
    }
}
