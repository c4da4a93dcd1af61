import HTTPTypes
import LiveTransport
import NIOPosix
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Hosting on loopback sockets", .timeLimit(.minutes(5)))
struct HostingTests {
    private let describing = ScriptedServer.answering { request, body in
        let count = (try? await body.collect(upTo: 1 << 20).count) ?? -1
        return .text("\(request.method) \(request.path ?? "") \(count);")
    }

    @Test("pipelined requests are answered in order on one connection")
    func pipelining() async throws {
        try await withLive(describing) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let requests = [
                "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
                "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
                "HEAD /4 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            ]
            try await peer.send(requests.joined())
            let answers = await peer.readToEnd()
            let bodies = answers.split(separator: "\r\n").map(String.init).filter { !$0.contains(":") }
                .map { $0.replacing("HTTP/1.1 200 OK", with: "") }.filter { !$0.isEmpty }
            #expect(bodies == ["GET /1 0;", "POST /2 3;", "POST /3 2;", "GET /5 0;"])
            #expect(answers.contains("connection: close") || answers.contains("Connection: close"))
        }
    }

    @Test(
        "a server that does not block runs on an event loop, and another one does not"
    )
    func threads() async throws {
        for mayBlock in [false, true] {
            let (asked, served, rested) = (Box<[Bool]>([]), Box<[Bool]>([]), Signal())
            @Sendable func note(_ box: Box<[Bool]>) {
                box.append(MultiThreadedEventLoopGroup.currentEventLoop != nil)
            }
            var server = ScriptedServer(
                answer: { _, body in
                    note(asked)
                    _ = try? await body.collect(upTo: 1 << 20)
                    note(asked)
                    return (HTTPResponse(status: .ok), .text("done"))
                },
                decide: { _ in
                    .accept(WebSocketLimits()) { socket in
                        note(served)
                        _ = try? await socket.receive()
                        note(served)
                        try? await socket.send(text: "done")
                        rested.give()
                    }
                }
            )
            server.mayBlock = mayBlock
            try await withLive(server) { world, _ in
                let answer = try await world.send(.post, body: .bytes(Array("body".utf8)))
                #expect(answer.head.status == .ok)
                #expect(try await answer.body.collect(upTo: 100) == Array("done".utf8))
                let socket = try await world.connect()
                try await socket.send(text: "go on")
                _ = try await socket.receive()
                await rested.wait()
                await socket.close(.normal)
            }
            #expect(asked.value == [!mayBlock, !mayBlock])
            #expect(served.value == [!mayBlock, !mayBlock])
        }
    }

    @Test("an HTTP/1.0 client gets a body without chunks, then the end")
    func oldClient() async throws {
        // A client that asks to keep the connection alive cannot detect the end of the body in any other way either.
        for field in ["", "Connection: keep-alive\r\n"] {
            let server = ScriptedServer.answering { _, _ in
                let left = Box(0)
                return .stream(ByteStream { left.add(1) <= 3 ? Array("abc".utf8) : nil }, length: nil)
            }
            try await withLive(server) { world, _ in
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.send("GET / HTTP/1.0\r\n\(field)\r\n")
                let answer = await peer.readToEnd()
                #expect(answer.hasSuffix("\r\n\r\nabcabcabc"))
                #expect(!answer.lowercased().contains("chunked"))
            }
        }
    }

    @Test("what there is of a body is sent at once, in one piece, and its end with it")
    func readyBody() async throws {
        let (read, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = ScriptedServer.answering { _, _ in
            let asked = Box(0)
            let stream = ByteStream(ready: {
                switch asked.add(1) {
                case 1: .chunk(Array("ab".utf8))
                case 2: .chunk(Array("c".utf8))
                case 3: .later
                case 4: .chunk(Array("e".utf8))
                default: .end
                }
            }) {
                for await _ in read { break }
                return Array("d".utf8)
            }
            return .stream(stream, length: nil)
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(await peer.read(through: "abc\r\n").hasSuffix("\r\n\r\n3\r\nabc\r\n"))
            continuation.yield()
            #expect(await peer.readToEnd() == "2\r\nde\r\n0\r\n\r\n")
        }
    }

    @Test("a body that is there and has not its declared length breaks the answer", arguments: [2, 4])
    func readyBodyOfWrongLength(_ declared: Int) async throws {
        let server = ScriptedServer.answering { _, _ in
            let asked = Box(0)
            let stream = ByteStream(ready: { asked.add(1) == 1 ? .chunk([1, 2, 3]) : .end }) { nil }
            return .stream(stream, length: declared)
        }
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await peer.readToEnd()
            #expect(!answer.hasSuffix("\u{1}\u{2}\u{3}") && !answer.hasSuffix("\u{1}\u{2}"))
        }
    }

    @Test("who expects 100 receives it when the body is read")
    func expectContinue() async throws {
        try await withLive(describing) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(
                "POST /e HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
            )
            #expect(await peer.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            // In two pieces, after each of which the server asks for more: the client sees 100 Continue once.
            try await peer.send("bo")
            try await peer.send("dy")
            let answer = await peer.read(through: ";")
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("POST /e 4;"))
            try await peer.close()
        }
    }

    @Test("who expects 100 is refused without it when the body is not wanted, and the connection ends")
    func expectRefused() async throws {
        let server = ScriptedServer(answer: { _, _ in (HTTPResponse(status: .contentTooLarge), .text("no")) })
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
            )
            let answer = await peer.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(answer.hasSuffix("\r\n\r\nno"))
            try await peer.close()
        }
    }

    @Test func `a connection that owes a 100 serves no further request`() async throws {
        let server = ScriptedServer(answer: { request, _ in
            (HTTPResponse(status: .ok), .text("answer to \(request.path ?? "")"))
        })
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            // The client may take the answer for a refusal of the body, and ask for something else at once.
            try await peer.send(
                "POST /1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
            )
            let answer = await peer.read(through: "answer to /1")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
            try? await peer.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await peer.readToEnd().isEmpty)
        }
    }

    @Test func `all header fields together are limited too`() async throws {
        let limits = LoopbackHost.Limits(headerBytes: 8 * 1024)
        try await withLive(describing, limits: limits) { world, _ in
            for (count, status) in [(6, "200"), (10, "431")] {
                let fields = (0..<count).map { "X-\($0): \(String(repeating: "x", count: 1000))\r\n" }
                let peer = try await RawConnection.connect(port: world.address.port)
                try await peer.send(
                    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields.joined())\r\n"
                )
                #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    @Test(
        "malformed requests are refused and their connections ended",
        arguments: [
            ("nonsense\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n", "431"),
        ]
    )
    func malformed(_ request: String, _ status: String) async throws {
        try await withLive(describing) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(request)
            #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test("a request line without end does not fill the memory")
    func endlessRequestLine() async throws {
        try await withLive(describing) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            let part = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
            try await peer.send("GET /")
            for _ in 0..<64 where (try? await peer.send(part)) == nil { break }
            #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 4"))
        }
    }

    @Test("an idle connection is ended, and so is one whose head or body stops coming")
    func idle() async throws {
        let limits = LoopbackHost.Limits(idleTimeout: .milliseconds(100))
        try await withLive(describing, limits: limits) { world, _ in
            for start in ["", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"] {
                let peer = try await RawConnection.connect(port: world.address.port)
                // On a busy machine the connection may have been ended already.
                if !start.isEmpty { try? await peer.send(start) }
                #expect(await peer.readToEnd().isEmpty)
            }
        }
    }

    @Test("connections over the limit wait until one ends")
    func connectionLimit() async throws {
        let served = Mutex<[String]>([])
        let server = ScriptedServer.answering { request, _ in
            served.withLock { $0.append(request.path ?? "") }
            return .text("\(request.path ?? "");")
        }
        try await withLive(server, limits: LoopbackHost.Limits(connections: 1)) { world, _ in
            let first = try await RawConnection.connect(port: world.address.port)
            try await first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await first.read(through: ";").hasSuffix("/1;"))
            let second = try await RawConnection.connect(port: world.address.port)
            try await second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<20 {
                try await first.send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await first.read(through: ";").hasSuffix("/3;"))
            }
            try await first.close()
            #expect(await second.read(through: ";").hasSuffix("/2;"))
            try await second.close()
        }
        #expect(served.withLock { $0 } == ["/1"] + Array(repeating: "/3", count: 20) + ["/2"])
    }

    @Test func `connections that have ended make room for as many`() async throws {
        try await withLive(describing, limits: LoopbackHost.Limits(connections: 2)) { world, _ in
            for _ in 0..<3 {
                var peers: [RawConnection] = []
                for _ in 0..<2 {
                    let peer = try await RawConnection.connect(port: world.address.port)
                    try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    #expect(await peer.read(through: ";").hasSuffix("GET / 0;"))
                    peers.append(peer)
                }
                for peer in peers { try await peer.close() }
            }
        }
    }

    @Test("the server's task is cancelled when its connection ends")
    func deadConnection() async throws {
        let arrived = Signal()
        let ended = Signal()
        let server = ScriptedServer.silent(arrived: arrived, ended: ended)
        try await withLive(server) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await arrived.wait()
            try await peer.close()
            await ended.wait()
        }
    }

    @Test("an answer that breaks off, or has another length than declared, is not taken for whole")
    func brokenAnswers() async throws {
        let server = ScriptedServer.answering { request, _ in
            let step = Box(0)
            let stream = ByteStream { () async throws(TransportError) in
                if step.add(1) <= 2 { return [1, 2, 3] }
                if request.path == "/breaks" { throw TransportError(.reset, operation: "read", peer: "disk") }
                return nil
            }
            switch request.path {
            case "/short": return .stream(stream, length: 7)
            case "/long": return .stream(stream, length: 5)
            default: return .stream(stream, length: nil)
            }
        }
        try await withLive(server) { world, _ in
            for path in ["/breaks", "/short", "/long"] {
                let error = await failure { () throws(TransportError) in
                    _ = try await world.send(.get, path).body.collect(upTo: 100)
                }
                #expect(error?.code == .reset)
            }
            let whole = try await world.send(.get, "/whole").body.collect(upTo: 100)
            #expect(whole.count == 6)
        }
    }

    @Test("stopping cancels requests, ends connections, and frees the port")
    func stop() async throws {
        let arrived = Signal()
        let ended = Signal()
        let server = ScriptedServer.silent(arrived: arrived, ended: ended)
        try await withLive(server) { world, listener in
            let idle = try await RawConnection.connect(port: world.address.port)
            let request = Task { await failure { () throws(TransportError) in _ = try await world.send() } }
            await arrived.wait()
            await listener.stop()
            #expect(ended.isGiven)
            #expect(await request.value?.code == .reset)
            #expect(await idle.readToEnd().isEmpty)
            let again = try await LoopbackHost().listen(describing, at: world.address)
            await again.stop()
            await listener.stop()
        }
    }

    @Test("an address in use, or one that others can reach, is not available")
    func addresses() async throws {
        try await withLive(describing) { world, _ in
            let host = try LoopbackHost()
            let taken = await failure { () throws(TransportError) in
                _ = try await host.listen(describing, at: world.address)
            }
            #expect(taken?.code == .addressUnavailable)
            let open = SocketAddress(host: "0.0.0.0", port: 0)
            let remote = await failure { () throws(TransportError) in
                _ = try await host.listen(describing, at: open)
            }
            #expect(remote?.code == .addressUnavailable)
            let allowed = try await LoopbackHost(allowRemote: true).listen(describing, at: open)
            await allowed.stop()
            let other = SocketAddress(host: "::1", port: 0)
            let six = try await host.listen(describing, at: other)
            #expect(six.address.host == "::1")
            await six.stop()
        }
    }
}
