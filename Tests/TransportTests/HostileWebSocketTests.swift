import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

/// Bytes that a client could send after its handshake, and what the server must answer.
private struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: UInt16

    init(_ description: String, _ bytes: [UInt8], _ code: UInt16) {
        testDescription = description
        self.bytes = bytes
        self.code = code
    }

    /// A frame masked with zeros, so that its payload can be read here.
    static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    static let all = [
        Attack("unmasked frame", [0x81, 0x01, 0x61], 1002),
        Attack("reserved bit", frame(0xC1, [0x61]), 1002),
        Attack("unknown data frame", frame(0x83, [0x61]), 1002),
        Attack("unknown control frame", frame(0x8B, []), 1002),
        Attack("ping in fragments", frame(0x09, []), 1002),
        Attack("ping of 126 bytes", [0x89, 0xFE, 0, 126, 0, 0, 0, 0], 1002),
        Attack("continuation of nothing", frame(0x80, [0x61]), 1002),
        Attack("message inside a message", frame(0x01, [0x61]) + frame(0x81, [0x61]), 1002),
        Attack("16-bit length that is not minimal", [0x82, 0xFE, 0, 5, 0, 0, 0, 0], 1002),
        Attack("64-bit length that is not minimal", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], 1002),
        Attack("length with the highest bit", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
        Attack("close of one byte", frame(0x88, [0x03]), 1002),
        Attack("close with 1005", frame(0x88, [0x03, 0xED]), 1002),
        Attack("close with 999", frame(0x88, [0x03, 0xE7]), 1002),
        Attack("close reason that is not UTF-8", frame(0x88, [0x03, 0xE8, 0xFF]), 1007),
        Attack("text that is not UTF-8", frame(0x81, [0x61, 0xC3]), 1007),
        Attack("text broken over fragments", frame(0x01, [0xC3]) + frame(0x80, [0x28]), 1007),
        Attack("declared length over the limit", [0x82, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
        Attack(
            "fragments over the limit",
            (0..<11).flatMap { frame($0 == 0 ? 0x02 : 0x00, [UInt8](repeating: 0, count: 100)) },
            1009
        ),
    ]
}

@Suite("WebSocket peers that break the rules", .timeLimit(.minutes(5)))
struct HostileWebSocketTests {
    private static let handshake = """
        GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """

    @Test("the server ends the connection with the code that fits", arguments: Attack.all)
    fileprivate func attack(_ attack: Attack) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session(limits: WebSocketLimits(messageBytes: 1000)) { socket in
            if let event = try? await socket.receive() { continuation.yield(event) }
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            let answer = await peer.read(through: "\r\n\r\n")
            // The example of RFC 6455 section 1.3.
            #expect(answer.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="))
            try await peer.send(attack.bytes)
            let frame = try #require(await peer.readFrame())
            #expect(frame.first == 0x88)
            #expect(frame.payload.prefix(2) == [UInt8(attack.code >> 8), UInt8(attack.code & 0xFF)])
            #expect(await peer.readToEnd().isEmpty)
            try await peer.close()
            var iterator = events.makeAsyncIterator()
            guard case .closed(let close)? = await iterator.next() else {
                Issue.record("the session got something else")
                return
            }
            #expect(close.code == attack.code)
        }
    }

    @Test("fragments with a ping between them make one message, however the bytes are cut")
    func fragments() async throws {
        try await withLive(.echo()) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let frames =
                Attack.frame(0x01, Array("hé".utf8.dropLast())) + Attack.frame(0x89, [1, 2])
                + Attack.frame(0x00, Array("é".utf8.dropFirst())) + Attack.frame(0x80, Array("llo".utf8))
            // The first frame comes in one piece with the handshake.
            try await peer.send(Array(Self.handshake.utf8) + frames)
            _ = await peer.read(through: "\r\n\r\n")
            let pong = try #require(await peer.readFrame())
            #expect(pong == (0x8A, [1, 2]))
            let whole = try #require(await peer.readFrame())
            #expect(whole == (0x81, Array("héllo".utf8)))
            for byte in frames { try await peer.send([byte]) }
            _ = await peer.readFrame()
            let again = try #require(await peer.readFrame())
            #expect(again == (0x81, Array("héllo".utf8)))
            try await peer.close()
        }
    }

    @Test("a connection that breaks is 1006 to the session")
    func lost() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session { socket in
            if let event = try? await socket.receive() { continuation.yield(event) }
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            _ = await peer.read(through: "\r\n\r\n")
            try await peer.close()
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .closed(.abnormal))
        }
    }

    @Test(
        "a handshake that is not one of version 13 is refused",
        arguments: [("Sec-WebSocket-Version: 8", "426"), ("Sec-WebSocket-Key: short", "400")]
    )
    func badHandshakes(_ field: String, _ status: String) async throws {
        try await withLive(.echo()) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let name = field.prefix { $0 != ":" }
            let lines = Self.handshake.split(separator: "\r\n").map {
                $0.hasPrefix(name) ? field : String($0)
            }
            try await peer.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            #expect(await peer.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test(
        "a server's answer that does not fit fails the handshake",
        arguments: [
            (
                "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                TransportError.Code.protocolViolation
            ),
            (
                "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
                .protocolViolation
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .upgradeRefused),
            ("nonsense\r\n\r\n", .protocolViolation), ("", .reset),
        ]
    )
    func badAnswers(_ answer: String, _ code: TransportError.Code) async throws {
        try await RawServer.run { peer in
            _ = await peer.read(through: "\r\n\r\n")
            if !answer.isEmpty { try await peer.send(answer) }
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let error = await failure { () throws(TransportError) in _ = try await world.connect() }
                #expect(error?.code == code)
            }
        }
    }

    @Test(
        "a protocol is taken only when it was offered, and an extension never",
        arguments: [
            ("", true), ("Sec-WebSocket-Protocol: chat\r\n", true),
            ("Sec-WebSocket-Protocol: superchat\r\n", true), ("Sec-WebSocket-Protocol: other\r\n", false),
            ("Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: superchat\r\n", false),
            ("Sec-WebSocket-Extensions: permessage-deflate\r\n", false),
        ]
    )
    func choices(_ fields: String, _ isAccepted: Bool) async throws {
        try await RawServer.run { peer in
            try await peer.acceptWebSocket(fields)
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                var request = world.request(.get, "/", [.secWebSocketProtocol: "chat, superchat"])
                request.scheme = "ws"
                let error = await failure { () throws(TransportError) in
                    _ = try await transport.connect(request, limits: WebSocketLimits(), timeout: .seconds(30))
                }
                #expect(error?.code == (isAccepted ? nil : .protocolViolation))
            }
        }
    }

    @Test("a flood of pings from a peer that never reads does not stop the session")
    func pingFlood() async throws {
        try await withLive(.echo()) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            let ping = Attack.frame(0x89, [UInt8](repeating: 9, count: 125))
            let flood = (0..<500).flatMap { _ in ping }
            for _ in 0..<50 { try await peer.send(flood) }
            try await peer.send(Attack.frame(0x81, Array("end".utf8)))
            _ = await peer.read(through: "\r\n\r\n")
            var frame = await peer.readFrame()
            while let pong = frame, pong.first == 0x8A { frame = await peer.readFrame() }
            #expect(frame?.payload == Array("end".utf8))
            try await peer.close()
        }
    }
}
