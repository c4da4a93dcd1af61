import HTTPTypes
import Testing
import Transport

/// What every pair of a transport and a host must do, simulated or live: one body for all.
struct TransportBehaviour: Sendable {
    let client: any Transport
    let host: any ServerHost
    /// Where to listen; the port is chosen by the host.
    let address: SocketAddress

    /// Ends a test that hangs over real sockets; no test expects that something happens within it.
    static let hang = Duration.seconds(240)

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (TransportBehaviour) async throws -> Void
    }

    static let cases: [Case] = [
        Case(testDescription: "messages come back in order and unchanged") {
            try await $0.messagesComeBack()
        },
        Case(testDescription: "a body streams up and down") { try await $0.bodiesStream() },
        Case(testDescription: "length, HEAD and 204 are framed") { try await $0.framing() },
        Case(testDescription: "a body of the wrong length breaks the answer") { try await $0.wrongLength() },
        Case(testDescription: "a port where nobody listens any more is refused") { try await $0.refused() },
        Case(testDescription: "an unknown name is unreachable") { try await $0.unknownName() },
        Case(testDescription: "a silent server times out") { try await $0.silence() },
        Case(testDescription: "a refused handshake tells its status") { try await $0.refusedHandshake() },
        Case(testDescription: "the client's close reaches the server") { try await $0.clientCloses() },
        Case(testDescription: "a session that returns closes with 1000") { try await $0.sessionReturns() },
        Case(testDescription: "a long reason is cut between characters") { try await $0.longReason() },
        Case(testDescription: "a message over the limit closes with 1009") { try await $0.tooLarge() },
        Case(testDescription: "pings are answered both ways") { try await $0.pings() },
        Case(testDescription: "a socket let go of is 1006 for the other side") { try await $0.letGo() },
        Case(testDescription: "a stopping listener closes with 1001") { try await $0.stopping() },
        Case(testDescription: "a cancelled receive loses no message") { try await $0.cancelledReceive() },
        Case(testDescription: "an abandoned request cancels the server's task") { try await $0.abandoned() },
        Case(testDescription: "datagrams carry their source") { try await $0.datagrams() },
    ]

    // MARK: Cases

    private func messagesComeBack() async throws {
        try await serving(.echo()) { authority, _ in
            let socket = try await connect(authority)
            for size in [0, 1, 126, 70_000] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
                try await socket.send(binary: bytes)
                try await socket.send(text: "size \(size)")
                #expect(try await socket.receive() == .binary(bytes))
                #expect(try await socket.receive() == .text("size \(size)"))
            }
            await socket.close(.normal)
        }
    }

    private func bodiesStream() async throws {
        let server = ScriptedServer.answering { request, body in
            guard case .stream(let stream, _) = body else { return .text("no stream") }
            return .stream(stream, length: nil)
        }
        try await serving(server) { authority, _ in
            let sent = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let (head, body) = try await send(.post, authority, body: .bytes(sent))
            #expect(head.status == .ok)
            #expect(try await body.collect(upTo: 1_000_000) == sent)
        }
    }

    private func framing() async throws {
        let server = ScriptedServer(answer: { request, body in
            let size = (try? await body.collect(upTo: 100).count) ?? -1
            let seen = "\(request.headerFields[.contentLength] ?? "none") \(size)"
            switch request.path {
            case "/empty": return (HTTPResponse(status: .noContent), .text("never sent"))
            default: return (HTTPResponse(status: .ok), .text(seen))
            }
        })
        try await serving(server) { authority, _ in
            let (head, body) = try await send(.put, authority, body: .text("12345"))
            #expect(head.headerFields[.contentLength] == "3")
            #expect(try await body.collect(upTo: 100) == Array("5 5".utf8))
            let asked = try await send(.head, authority)
            #expect(asked.head.headerFields[.contentLength] == "6")
            #expect(try await asked.body.collect(upTo: 100).isEmpty)
            let none = try await send(.get, authority, "/empty")
            #expect(none.head.status == .noContent)
            #expect(try await none.body.collect(upTo: 100).isEmpty)
        }
    }

    private func wrongLength() async throws {
        let server = ScriptedServer.answering { _, _ in
            let given = Box(0)
            let stream = ByteStream { () async throws(TransportError) in
                given.increment()
                return given.value == 1 ? [1, 2, 3] : nil
            }
            return .stream(stream, length: 10)
        }
        try await serving(server) { authority, _ in
            let error = await failure { () throws(TransportError) in
                _ = try await send(.get, authority).body.collect(upTo: 100)
            }
            #expect(error?.code == .reset)
        }
    }

    private func refused() async throws {
        try await serving(.echo()) { authority, listener in
            await listener.stop()
            let request = await failure { () throws(TransportError) in _ = try await send(.get, authority) }
            #expect(request?.code == .refused)
            let socket = await failure { () throws(TransportError) in _ = try await connect(authority) }
            #expect(socket?.code == .refused)
        }
    }

    private func unknownName() async throws {
        // RFC 6761 reserves .invalid.
        let error = await failure { () throws(TransportError) in _ = try await send(.get, "nobody.invalid") }
        #expect(error?.code == .unreachable)
    }

    private func silence() async throws {
        let server = ScriptedServer.answering { _, _ in
            try? await Task.sleep(for: .seconds(1000))
            return .empty
        }
        try await serving(server) { authority, _ in
            let error = await failure { () throws(TransportError) in
                _ = try await send(.get, authority, timeout: .milliseconds(100))
            }
            #expect(error?.code == .timedOut)
        }
    }

    private func refusedHandshake() async throws {
        let server = ScriptedServer(decide: { _ in .refuse(HTTPResponse(status: .forbidden), .text("no")) })
        try await serving(server) { authority, _ in
            let error = await failure { () throws(TransportError) in _ = try await connect(authority) }
            #expect(error?.code == .upgradeRefused)
            #expect(error?.status == 403)
        }
    }

    private func clientCloses() async throws {
        let close = WebSocketClose(code: 4001, reason: "gone fishing")
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session { socket in
            for _ in 0..<2 { if let event = try? await socket.receive() { continuation.yield(event) } }
        }
        try await serving(server) { authority, _ in
            let socket = try await connect(authority)
            await socket.close(close)
            await socket.close(.normal)
            #expect(try await socket.receive() == .closed(close))
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .closed(close))
            #expect(await iterator.next() == .closed(close))
            let late = await failure { () throws(TransportError) in try await socket.send(text: "late") }
            #expect(late?.code == .closed)
            let ping = await failure { () throws(TransportError) in
                try await socket.ping(timeout: .seconds(1))
            }
            #expect(ping?.code == .closed)
        }
    }

    private func sessionReturns() async throws {
        try await serving(.session { try? await $0.send(text: "bye") }) { authority, _ in
            let socket = try await connect(authority)
            #expect(try await socket.receive() == .text("bye"))
            #expect(try await socket.receive() == .closed(.normal))
            #expect(try await socket.receive() == .closed(.normal))
        }
    }

    private func longReason() async throws {
        let server = ScriptedServer.session { socket in
            await socket.close(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)))
        }
        try await serving(server) { authority, _ in
            let socket = try await connect(authority)
            let reason = String(repeating: "é", count: 61)
            #expect(try await socket.receive() == .closed(WebSocketClose(code: 4000, reason: reason)))
        }
    }

    private func tooLarge() async throws {
        try await serving(.echo(limits: WebSocketLimits(messageBytes: 1000))) { authority, _ in
            let socket = try await connect(authority)
            try await socket.send(binary: [UInt8](repeating: 1, count: 1000))
            #expect(try await socket.receive().byteCount == 1000)
            try await socket.send(binary: [UInt8](repeating: 1, count: 1001))
            guard case .closed(let close) = try await socket.receive() else {
                Issue.record("the connection is still open")
                return
            }
            #expect(close.code == 1009)
        }
    }

    private func pings() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        let server = ScriptedServer.session { socket in
            continuation.yield((try? await socket.ping(timeout: Self.hang)) != nil)
            _ = try? await socket.receive()
        }
        try await serving(server) { authority, _ in
            let socket = try await connect(authority)
            try await socket.ping(timeout: Self.hang)
            var iterator = answers.makeAsyncIterator()
            #expect(await iterator.next() == true)
            await socket.close(.normal)
        }
    }

    private func letGo() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let server = ScriptedServer.session { socket in
            if let event = try? await socket.receive() { continuation.yield(event) }
        }
        try await serving(server) { authority, _ in
            _ = try await connect(authority)
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .closed(.abnormal))
        }
    }

    private func stopping() async throws {
        let server = ScriptedServer.session { socket in _ = try? await socket.receive() }
        try await serving(server) { authority, listener in
            let socket = try await connect(authority)
            try await socket.ping(timeout: Self.hang)
            async let stopped: Void = listener.stop()
            guard case .closed(let close) = try await socket.receive() else {
                Issue.record("the connection is still open")
                return
            }
            #expect(close.code == 1001)
            await stopped
        }
    }

    private func cancelledReceive() async throws {
        try await serving(.echo()) { authority, _ in
            let socket = try await connect(authority)
            let waiting = Task { () async -> TransportError.Code? in
                await failure { () throws(TransportError) in _ = try await socket.receive() }?.code
            }
            try await socket.ping(timeout: Self.hang)
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            try await socket.send(text: "after")
            #expect(try await socket.receive() == .text("after"))
            await socket.close(.normal)
        }
    }

    private func abandoned() async throws {
        let (steps, continuation) = AsyncStream.makeStream(of: String.self)
        let server = ScriptedServer.answering { _, _ in
            continuation.yield("begun")
            do { try await Task.sleep(for: .seconds(1000)) } catch { continuation.yield("cancelled") }
            return .empty
        }
        try await serving(server) { authority, _ in
            let request = Task { () async -> TransportError.Code? in
                await failure { () throws(TransportError) in _ = try await send(.get, authority) }?.code
            }
            var iterator = steps.makeAsyncIterator()
            #expect(await iterator.next() == "begun")
            request.cancel()
            #expect(await request.value == .cancelled)
            #expect(await iterator.next() == "cancelled")
        }
    }

    private func datagrams() async throws {
        let one = try await client.bind(.loopback())
        let other = try await client.bind(.loopback())
        #expect(one.localAddress.port != other.localAddress.port)
        try await one.send([1, 2, 3], to: other.localAddress)
        let (bytes, source) = try await other.receive()
        #expect(bytes == [1, 2, 3])
        #expect(source.port == one.localAddress.port)
        let large = await failure { () throws(TransportError) in
            try await one.send([UInt8](repeating: 0, count: 65_508), to: other.localAddress)
        }
        #expect(large?.code == .tooLarge)
        await one.close()
        await other.close()
        let closed = await failure { () throws(TransportError) in _ = try await other.receive() }
        #expect(closed?.code == .closed)
    }

    // MARK: Set-up

    private func serving(
        _ server: ScriptedServer,
        _ body: (_ authority: String, any Listener) async throws -> Void
    ) async throws {
        let listener = try await host.listen(server, at: address)
        do {
            try await body("\(listener.address)", listener)
        } catch {
            await listener.stop()
            throw error
        }
        await listener.stop()
    }

    private func connect(_ authority: String) async throws(TransportError) -> any WebSocket {
        let request = HTTPRequest(method: .get, scheme: "ws", authority: authority, path: "/")
        return try await client.connect(request, limits: WebSocketLimits(), timeout: Self.hang)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ authority: String,
        _ path: String = "/",
        body: HTTPBody = .empty,
        timeout: Duration = Self.hang
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
        return try await client.send(request, body: body, timeout: timeout)
    }
}
