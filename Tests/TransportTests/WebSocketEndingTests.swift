import HTTPTypes
import LiveTransport
import Testing
import Transport
import TransportConformance

@Suite("How WebSockets over live sockets end", .timeLimit(.minutes(5)))
struct WebSocketEndingTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    /// A frame masked with zeros.
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    @Test("a slow reader gets every message and the close code after the peer has left")
    func slowReader() async throws {
        let mayRead = Signal()
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session { socket in
            await mayRead.wait()
            while let event = try? await socket.receive() {
                continuation.yield(event)
                if case .closed = event { return continuation.finish() }
            }
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            _ = await peer.read(through: "\r\n\r\n")
            let messages = (0..<300).flatMap { Self.frame(0x81, Array("\($0)".utf8)) }
            try await peer.send(messages + Self.frame(0x88, [0x03, 0xF0] + Array("policy".utf8)))
            try await peer.finish()
            // The server has seen the end of the connection when it ends its own side.
            _ = await peer.readToEnd()
            mayRead.give()
            var received: [WebSocketEvent] = []
            for await event in events { received.append(event) }
            #expect(received.dropLast() == (0..<300).map { .text("\($0)") }[...])
            #expect(received.last == .closed(WebSocketClose(code: 1008, reason: "policy")))
        }
    }

    @Test("a cancelled close returns although the peer does not answer")
    func cancelledClose() async throws {
        let mayLeave = Signal()
        try await RawServer.run { peer in
            try await peer.acceptWebSocket()
            await mayLeave.wait()
        } while: { port in
            try await withTransport(LiveTransport.Configuration(closeTimeout: .seconds(200))) { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let socket = try await world.connect()
                let closing = Task { await socket.close(.normal) }
                closing.cancel()
                await closing.value
                mayLeave.give()
            }
        }
    }

    @Test("interim answers may come before the handshake's", arguments: [100, 103])
    func interimAnswers(status: Int) async throws {
        try await RawServer.run { peer in
            try await peer.acceptWebSocket(after: "HTTP/1.1 \(status) Wait\r\nLink: </a>\r\n\r\n")
            try await peer.send([0x81, 2] + Array("hi".utf8))
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let socket = try await world.connect()
                #expect(try await socket.receive() == .text("hi"))
                await socket.close(.abnormal)
            }
        }
    }
}
