import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

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

    @Test("a peer that answers no ping is taken for gone after the silence limit")
    func silence() async throws {
        let pinged = Signal()
        let mayLeave = Signal()
        try await RawServer.run { peer in
            try await peer.acceptWebSocket()
            if await peer.readFrame()?.first == 0x89 { pinged.give() }
            await mayLeave.wait()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let heartbeat = WebSocketKeepAlive(interval: .milliseconds(50), silence: .milliseconds(500))
                let socket = try await world.connect(limits: WebSocketLimits(keepAlive: heartbeat))
                #expect(try await socket.receive() == .closed(.abnormal))
                await pinged.wait()
                let error = await failure { () throws(TransportError) in try await socket.send(text: "late") }
                #expect(error?.code == .reset)
                #expect(error?.detail == "nothing came for 0.5 seconds")
                mayLeave.give()
            }
        }
    }

    @Test("a peer that takes everything and says nothing is taken for gone although much is sent to it")
    func silenceOfTaker() async throws {
        let mayLeave = Signal()
        try await RawServer.run { peer in
            try await peer.acceptWebSocket()
            await mayLeave.wait()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let heartbeat = WebSocketKeepAlive(interval: .milliseconds(50), silence: .milliseconds(500))
                let socket = try await world.connect(limits: WebSocketLimits(keepAlive: heartbeat))
                let message = [UInt8](repeating: 7, count: 1024 * 1024)
                var end: TransportError?
                for _ in 0..<200 where end == nil {
                    end = await failure { () throws(TransportError) in try await socket.send(binary: message)
                    }
                    // The pace of the messages; no answer comes.
                    _ = try? await socket.ping(timeout: .milliseconds(20))
                }
                #expect(end?.code == .reset)
                #expect(end?.detail == "nothing came for 0.5 seconds")
                mayLeave.give()
            }
        }
    }

    @Test("a peer that answers pings is asked again and again")
    func heartbeat() async throws {
        try await RawServer.run { peer in
            try await peer.acceptWebSocket()
            for _ in 0..<3 {
                guard let ping = await peer.readFrame(), ping.first == 0x89 else { return }
                try await peer.send([0x8A, UInt8(ping.payload.count)] + ping.payload)
            }
            try await peer.send([0x81, 5] + Array("alive".utf8))
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let heartbeat = WebSocketKeepAlive(interval: .milliseconds(20), silence: .seconds(200))
                let socket = try await world.connect(limits: WebSocketLimits(keepAlive: heartbeat))
                #expect(try await socket.receive() == .text("alive"))
                await socket.close(.abnormal)
            }
        }
    }

    @Test("text that cannot become valid ends the connection before its frame does")
    func earlyValidation() async throws {
        try await withLive(.echo()) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            _ = await peer.read(through: "\r\n\r\n")
            // 20 bytes are declared, and the second one of four cannot follow the first (Autobahn 6.4.4).
            try await peer.send([0x81, 0x80 | 20, 0, 0, 0, 0] + Array("κόσμε".utf8) + [0xF4, 0x90])
            let frame = try #require(await peer.readFrame())
            #expect(frame.first == 0x88)
            #expect(frame.payload.prefix(2) == [0x03, 0xEF])
            try await peer.close()
        }
    }

    @Test("fields that a server adds to its answer are sent, but none that the handshake decides")
    func answerFields() async throws {
        let fields: HTTPFields = [
            .server: "test", .secWebSocketProtocol: "chat", .upgrade: "h2c", .contentLength: "5",
            .secWebSocketExtensions: "permessage-deflate",
        ]
        let server = ScriptedServer(decide: { _ in
            .accept(WebSocketLimits(), headerFields: fields) { _ = try? await $0.receive() }
        })
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(Self.handshake)
            let answer = await peer.read(through: "\r\n\r\n").lowercased()
            let lines = Set(answer.split(separator: "\r\n").map { String($0) })
            #expect(lines.isSuperset(of: ["server: test", "sec-websocket-protocol: chat"]))
            #expect(answer.contains("upgrade: websocket"))
            for word in ["h2c", "content-length", "extensions"] { #expect(!answer.contains(word)) }
            try await peer.close()
        }
    }

    @Test("a refusal whose body does not end is an error all the same")
    func endlessRefusal() async throws {
        let mayLeave = Signal()
        try await RawServer.run { peer in
            _ = await peer.read(through: "\r\n\r\n")
            try await peer.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\nnot you")
            await mayLeave.wait()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let error = await failure { () throws(TransportError) in _ = try await world.connect() }
                mayLeave.give()
                #expect(error?.code == .upgradeRefused)
                #expect(error?.status == 403)
                #expect(error?.body == Array("not you".utf8))
            }
        }
    }
}
