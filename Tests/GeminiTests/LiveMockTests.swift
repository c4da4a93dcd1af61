import GeminiAPI
import GeminiLive
import GeminiServer
import LiveTransport
import PeerKit
import Services
import Testing
import Transport

/// The mock of the live service as programs use it: on a socket, with the real client unchanged.
@Suite("The mock of the live service over real sockets", .timeLimit(.minutes(2)))
struct LiveMockTests {
    @Test(
        "LENS-251 a mock on a real socket refuses handshakes, gives scripted replies, late ones and malformed ones, closes with a code, and has what it received"
    )
    func parts() async throws {
        let server = GeminiServer(
            GeminiServerSettings(keys: [GeminiWorld.key]),
            script: GeminiScript(brain: FixedBrain()),
            inspectFrame: TestPicture.inspect
        )
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let transport = try LiveTransport()
        let model = GeminiLiveModel(
            client: transport,
            endpoint: GeminiEndpoint(authority: "\(listener.address)", isSecure: false)
        ) { () throws(SecretStoreError) in Secret(GeminiWorld.key) }
        let configuration = LiveConfiguration(model: GeminiWorld.model)
        for (status, code) in [(429, LiveModelError.Code.quotaExceeded), (503, .unavailable)] {
            try server.faults.arm("gemini.handshake.refused", values: ["status": Double(status)], atMost: 1)
            let error = await #expect(throws: LiveModelError.self) {
                _ = try await model.startSession(configuration)
            }
            #expect(error?.code == code)
        }

        let session = try await model.startSession(configuration)
        let picture = TestPicture.jpeg(number: 7)
        try await session.send(frame: picture)
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
        let received = try #require(server.record.sessions.last)
        #expect(received.isAccepted && received.version == "v1beta" && received.texts == ["Hi"])
        #expect(received.frames.map(\.bytes) == [picture] && server.record.handshakeCount == 3)

        try server.faults.arm("gemini.live.stall", values: ["seconds": 0.2], atMost: 1)
        let begun = ContinuousClock.now
        try await session.send(text: "Late")
        #expect(try await session.turn() == "Hello there.")
        #expect(ContinuousClock.now - begun >= .milliseconds(200))

        try server.faults.arm("gemini.live.malformed", atMost: 1)
        try await session.send(text: "Malformed")
        var hasUnreadable = false
        reading: while true {
            switch try await session.nextEvent() {
            case .unreadable: hasUnreadable = true
            case .turnComplete, .closed: break reading
            default: break
            }
        }
        #expect(hasUnreadable)

        try server.faults.arm("gemini.live.close", values: ["code": 1011], atMost: 1)
        try await session.send(text: "Close")
        var closeCode: UInt16?
        while closeCode == nil {
            if case .closed(let code, _) = try await session.nextEvent() { closeCode = code }
        }
        #expect(closeCode == 1011)
        await session.close()
        await listener.stop()
        await transport.shutdown()
    }
}
