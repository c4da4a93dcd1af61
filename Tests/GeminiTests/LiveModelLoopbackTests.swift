import Conformance
import GeminiAPI
import GeminiLive
import GeminiServer
import LiveModelConformance
import LiveTransport
import Testing
import Transport

@Suite("Live model conformance over real sockets", .timeLimit(.minutes(2)))
struct LiveModelLoopbackTests {
    @Test(arguments: LiveModelConformance.cases)
    func `the client of Gemini meets each requirement over sockets of this machine`(
        _ test: LiveModelConformance.Case
    ) async throws {
        let server = GeminiServer(
            GeminiServerSettings(keys: [GeminiWorld.key]),
            script: GeminiHarness.script,
            inspectFrame: TestPicture.inspect
        )
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let transport = try LiveTransport()
        let endpoint = GeminiEndpoint(authority: "\(listener.address)", isSecure: false)
        let outcome = try await test.run(with: GeminiHarness(transport: transport, endpoint: endpoint))
        await listener.stop()
        await transport.shutdown()
        #expect(outcome == .passed)
    }
}
