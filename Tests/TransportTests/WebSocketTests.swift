import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("WebSocket over live sockets", .timeLimit(.minutes(5)))
struct WebSocketTests {
    @Test(
        "messages of every length encoding come back unchanged",
        arguments: [0, 1, 125, 126, 65_535, 65_536, 3_000_001]
    )
    func echo(size: Int) async throws {
        try await withLive(.echo()) { world, _ in
            let socket = try await world.connect()
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            try await socket.send(binary: bytes)
            #expect(try await socket.receive() == .binary(bytes))
            let text = String(repeating: "é", count: size / 2)
            try await socket.send(text: text)
            #expect(try await socket.receive() == .text(text))
            await socket.close(.normal)
        }
    }

    @Test("request fields, path and query reach the server's decision")
    func handshakeRequest() async throws {
        let server = ScriptedServer(decide: { request in
            .accept(WebSocketLimits()) { socket in
                try? await socket.send(text: "\(request.path ?? "") \(request.headerFields[.accept] ?? "")")
            }
        })
        try await withLive(server) { world, _ in
            let request = HTTPRequest(
                method: .get,
                scheme: "ws",
                authority: world.authority,
                path: "/live?key=1",
                headerFields: [.accept: "all"]
            )
            let socket = try await world.transport.connect(
                request,
                limits: WebSocketLimits(),
                timeout: LiveWorld.hang
            )
            #expect(try await socket.receive() == .text("/live?key=1 all"))
        }
    }

    @Test("a refused handshake tells its status", arguments: [403, 426, 503])
    func refusal(status: Int) async throws {
        let server = ScriptedServer(decide: { _ in
            .refuse(HTTPResponse(status: .init(code: status)), .text("no"))
        })
        try await withLive(server) { world, _ in
            let error = await failure { () throws(TransportError) in _ = try await world.connect() }
            #expect(error?.code == .upgradeRefused)
            #expect(error?.status == status)
        }
    }

    @Test("pings are answered in both directions")
    func pings() async throws {
        let answered = Signal()
        let server = ScriptedServer.session { socket in
            if (try? await socket.ping(timeout: LiveWorld.hang)) != nil { answered.give() }
            _ = try? await socket.receive()
        }
        try await withLive(server) { world, _ in
            let socket = try await world.connect()
            try await socket.ping(timeout: LiveWorld.hang)
            await answered.wait()
            await socket.close(.normal)
        }
    }

    @Test(
        "the client's close reaches the server with code and reason",
        arguments: [
            WebSocketClose.normal, WebSocketClose(code: 4001, reason: "gone fishing"),
            WebSocketClose(code: 1005),
        ]
    )
    func clientCloses(_ close: WebSocketClose) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session { socket in
            guard let event = try? await socket.receive() else { return }
            continuation.yield(event)
            // Asked again, the socket gives the same event.
            if let again = try? await socket.receive() { continuation.yield(again) }
        }
        try await withLive(server) { world, _ in
            let socket = try await world.connect()
            await socket.close(close)
            await socket.close(.normal)
            #expect(try await socket.receive() == .closed(close))
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .closed(close))
            #expect(await iterator.next() == .closed(close))
            let send = await failure { () throws(TransportError) in try await socket.send(text: "late") }
            #expect(send?.code == .closed)
            let ping = await failure { () throws(TransportError) in
                try await socket.ping(timeout: .seconds(1))
            }
            #expect(ping?.code == .closed)
        }
    }

    @Test("a session that returns closes with 1000, one that closes with its own code")
    func serverCloses() async throws {
        let server = ScriptedServer(decide: { request in
            .accept(WebSocketLimits()) { socket in
                try? await socket.send(text: "bye")
                if request.path == "/own" { await socket.close(WebSocketClose(code: 1008, reason: "quota")) }
            }
        })
        try await withLive(server) { world, _ in
            let plain = try await world.connect()
            #expect(try await plain.receive() == .text("bye"))
            #expect(try await plain.receive() == .closed(.normal))
            let own = try await world.connect("/own")
            #expect(try await own.receive() == .text("bye"))
            #expect(try await own.receive() == .closed(WebSocketClose(code: 1008, reason: "quota")))
        }
    }

    @Test("a reason that is too long is cut between characters")
    func longReason() async throws {
        let server = ScriptedServer.session { socket in
            await socket.close(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)))
        }
        try await withLive(server) { world, _ in
            let socket = try await world.connect()
            let reason = String(repeating: "é", count: 61)
            #expect(try await socket.receive() == .closed(WebSocketClose(code: 4000, reason: reason)))
        }
    }

    @Test("a message over the limit closes with 1009, from either side")
    func limits() async throws {
        let small = WebSocketLimits(messageBytes: 1000)
        try await withLive(.echo(limits: small)) { world, _ in
            let socket = try await world.connect()
            try await socket.send(binary: [UInt8](repeating: 1, count: 1000))
            #expect(try await socket.receive().byteCount == 1000)
            // Far more than the sockets' buffers hold, so that the close comes in the middle of it.
            _ = await failure { () throws(TransportError) in
                try await socket.send(binary: [UInt8](repeating: 1, count: 8_000_000))
            }
            guard case .closed(let close) = try await socket.receive() else {
                Issue.record("the connection is still open")
                return
            }
            #expect(close.code == 1009)
        }
        let told = Signal()
        let server = ScriptedServer.session { socket in
            try? await socket.send(text: String(repeating: "x", count: 1001))
            if case .closed(let close)? = try? await socket.receive(), close.code == 1009 { told.give() }
        }
        try await withLive(server) { world, _ in
            let socket = try await world.connect(limits: small)
            guard case .closed(let close) = try await socket.receive() else {
                Issue.record("the connection is still open")
                return
            }
            #expect(close.code == 1009)
            await told.wait()
        }
    }

    @Test("a cancelled receive leaves the socket usable")
    func cancelledReceive() async throws {
        try await withLive(.echo()) { world, _ in
            let socket = try await world.connect()
            let receiving = Task {
                await failure { () throws(TransportError) in _ = try await socket.receive() }
            }
            receiving.cancel()
            #expect(await receiving.value?.code == .cancelled)
            try await socket.send(text: "still here")
            #expect(try await socket.receive() == .text("still here"))
        }
    }

    @Test("a reader that does not read holds back the sender")
    func backPressure() async throws {
        let sent = Box(0)
        let done = Signal()
        let server = ScriptedServer(
            answer: { _, _ in (HTTPResponse(status: .ok), .text("ok")) },
            decide: { _ in
                .accept(WebSocketLimits()) { socket in
                    for _ in 0..<256 {
                        try? await socket.send(binary: [UInt8](repeating: 7, count: 65_536))
                        sent.add(1)
                    }
                    done.give()
                }
            }
        )
        try await withLive(server) { world, _ in
            let socket = try await world.connect(
                limits: WebSocketLimits(messageBytes: 65_536, bufferedMessages: 4)
            )
            for _ in 0..<600 { _ = try await world.send().body.collect(upTo: 2) }
            // 16 MB are more than the system's buffers of both sides take (tcp(7): at most 6 and 4 MB by default).
            #expect(sent.value < 256)
            var received = 0
            while case .binary = try await socket.receive() { received += 1 }
            #expect(received == 256)
            await done.wait()
        }
    }

    @Test("a server that stops says 1001 to its clients, and cancels their sessions")
    func serverStops() async throws {
        let running = Box(0)
        let server = ScriptedServer.session { socket in
            running.add(1)
            await Signal.waitForCancellation()
            running.add(-1)
        }
        try await withLive(server) { world, listener in
            var sockets: [any WebSocket] = []
            for _ in 0..<5 { sockets.append(try await world.connect()) }
            await listener.stop()
            #expect(running.value == 0)
            for socket in sockets {
                guard case .closed(let close) = try await socket.receive() else {
                    Issue.record("the connection is still open")
                    return
                }
                #expect(close.code == 1001)
            }
        }
    }

    @Test("cancelling an open call abandons the connection")
    func cancelledConnect() async throws {
        let arrived = Signal()
        let left = Signal()
        try await RawServer.run { peer in
            _ = await peer.read(through: "\r\n\r\n")
            arrived.give()
            _ = await peer.readToEnd()
            left.give()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let opening = Task {
                    await failure { () throws(TransportError) in _ = try await world.connect() }
                }
                await arrived.wait()
                opening.cancel()
                #expect(await opening.value?.code == .cancelled)
                await left.wait()
            }
        }
    }
}
