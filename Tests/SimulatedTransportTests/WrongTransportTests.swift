import Conformance
import SimulatedTransport
import Simulation
import Testing
import Transport
import TransportConformance

@Suite("The suite of conformance itself")
struct WrongTransportTests {
    private typealias Finding = (flaw: WrongTransport.Flaw, id: String, words: String)

    /// The case that was written for each flaw, with a part of what the failure says; others may notice it too.
    private static let findings: [Finding] = [
        (.losesTheLastByteOfBodies, "http.stream", "the body comes back unchanged; saw 149999 bytes"),
        (.endsShortBodiesInSilence, "http.short", "three bytes of ten are no whole answer; saw success"),
        (.refusedIsReset, "http.refused", "a request is refused"),
        (.neverTimesOut, "http.silence", "the request ends; saw success"),
        (.cannotBeCancelled, "http.abandoned", "the caller's request ends"),
        (.hidesTheStatusOfRefusals, "ws.refused", "the error has the status; saw nil"),
        (.losesTheLastByteOfMessages, "ws.echo", "1 bytes come back; saw 0 bytes"),
        (.givesTextAsBytes, "ws.echo", "the text comes back next; saw binary"),
        (.everyEndIsNormal, "ws.client-closes", "the client's own close ends its side; saw closed(1000)"),
        (.endsOnlyOnce, "ws.session-returns", "then the end, however often one asks; saw closed(1006)"),
        (.sendsAfterTheEnd, "ws.client-closes", "nothing can be sent after it; saw success"),
        (.cancelledIsClosed, "ws.cancelled-receive", "the receive ends"),
    ]

    @Test("a transport with one flaw fails the case that is about it, for that reason", arguments: findings)
    private func flawed(_ finding: Finding) throws {
        let test = try #require(TransportConformance.cases.first { $0.id == finding.id })
        let failure = #expect(throws: ConformanceFailure.self) {
            try Simulation(seed: 1).run {
                let network = SimulatedNetwork()
                let client = WrongTransport(base: network.host("phone"), flaw: finding.flaw)
                let address = SocketAddress(host: "peer", port: 0)
                _ = try await test.run(
                    with: TransportHarness(client: client, host: network.host("peer"), address: address)
                )
            }
        }
        #expect(failure?.description.contains(finding.words) == true, "\(failure as Any)")
    }

    @Test func `every flaw is tried, and identifiers are distinct`() {
        #expect(Set(Self.findings.map(\.flaw)) == Set(WrongTransport.Flaw.allCases))
        #expect(Set(TransportConformance.cases.map(\.id)).count == TransportConformance.cases.count)
    }
}
