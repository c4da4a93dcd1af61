import Conformance
import LiveTransport
import Testing
import Transport
import TransportConformance

@Suite("Conformance of the live transport", .timeLimit(.minutes(5)))
struct LiveConformanceTests {
    @Test("over loopback sockets", arguments: TransportConformance.cases)
    func overSockets(_ test: TransportConformance.Case) async throws {
        let client = try LiveTransport()
        let harness = TransportHarness(client: client, host: try LoopbackHost())
        do {
            try await test.run(with: harness)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }
}
