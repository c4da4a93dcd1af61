import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("Bytes right behind a handshake, over live sockets", .timeLimit(.minutes(5)))
struct UpgradeBytesTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    /// A whole text message, masked with zeros.
    private static func frame(_ number: Int) -> [UInt8] {
        let payload = Array("\(number)".utf8)
        return [0x81, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    @Test("messages that come with the handshake, and while it is judged, arrive in order")
    func order() async throws {
        let (events, asked, accepted, ended) = (Box<[WebSocketEvent]>([]), Signal(), Signal(), Signal())
        let server = ScriptedServer(decide: { _ in
            asked.give()
            await accepted.wait()
            return .accept(WebSocketLimits()) { socket in
                while let event = try? await socket.receive() {
                    events.append(event)
                    if case .closed = event { break }
                }
                ended.give()
            }
        })
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let frames = (0..<1000).map(Self.frame)
            // The first cut is inside of a frame.
            let first = Array(frames[..<400].joined())
            try await peer.send(Array(Self.handshake.utf8) + first.dropLast(3))
            await asked.wait()
            try await peer.send(first.suffix(3) + frames[400..<800].joined())
            accepted.give()
            try await peer.send(Array(frames[800...].joined()) + [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
            _ = await peer.readToEnd()
            // The connection may end before the server's task has taken what came on it.
            await ended.wait()
        }
        #expect(events.value == (0..<1000).map { .text("\($0)") } + [.closed(.normal)])
    }
}
