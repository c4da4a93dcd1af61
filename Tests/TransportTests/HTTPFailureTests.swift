import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

@Suite("HTTP failures over live sockets", .timeLimit(.minutes(5)))
struct HTTPFailureTests {
    @Test("a port where nobody listens is refused")
    func refused() async throws {
        try await withLive(ScriptedServer()) { world, listener in
            await listener.stop()
            #expect(
                await failure { () throws(TransportError) in _ = try await world.send() }?.code == .refused
            )
            let socket = await failure { () throws(TransportError) in _ = try await world.connect() }
            #expect(socket?.code == .refused)
        }
    }

    @Test("a name that does not exist is unreachable")
    func unknownName() async throws {
        try await withTransport { transport in
            // RFC 6761 reserves .invalid.
            let request = HTTPRequest(method: .get, scheme: "http", authority: "nobody.invalid", path: "/")
            let error = await failure { () throws(TransportError) in
                _ = try await transport.send(request, body: .empty, timeout: LiveWorld.hang)
            }
            #expect(error?.code == .unreachable)
        }
    }

    @Test("a server that says nothing times out")
    func silence() async throws {
        try await RawServer.run { peer in
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let error = await failure { () throws(TransportError) in
                    _ = try await world.send(timeout: .milliseconds(50))
                }
                #expect(error?.code == .timedOut)
                let socket = await failure { () throws(TransportError) in
                    _ = try await world.connect(timeout: .milliseconds(50))
                }
                #expect(socket?.code == .timedOut)
            }
        }
    }

    @Test(
        "a broken answer is reported by its kind",
        arguments: [
            ("", TransportError.Code.reset),
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", .reset),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort", .reset),
            ("nonsense\r\n\r\n", .protocolViolation),
        ]
    )
    func brokenAnswers(_ answer: String, _ code: TransportError.Code) async throws {
        try await RawServer.run { peer in
            _ = await peer.read(through: "\r\n\r\n")
            if !answer.isEmpty { try await peer.send(answer) }
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let error = await failure { () throws(TransportError) in
                    _ = try await world.send().body.collect(upTo: 1000)
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test("a body that stops coming times out")
    func stalledBody() async throws {
        try await RawServer.run { peer in
            _ = await peer.read(through: "\r\n\r\n")
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            _ = await peer.readToEnd()
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: false)
                let (_, body) = try await world.send(timeout: .seconds(8))
                let error = await failure { () throws(TransportError) in
                    _ = try await body.collect(upTo: 1000)
                }
                #expect(error?.code == .timedOut)
            }
        }
    }

    @Test("cancelling a request ends it, and cancels the server's task")
    func cancellation() async throws {
        let arrived = Signal()
        let ended = Signal()
        let server = ScriptedServer.silent(arrived: arrived, ended: ended)
        try await withLive(server) { world, _ in
            let request = Task { await failure { () throws(TransportError) in _ = try await world.send() } }
            await arrived.wait()
            request.cancel()
            #expect(await request.value?.code == .cancelled)
            await ended.wait()
        }
    }

    @Test("no error repeats a query or a header value")
    func secrets() async throws {
        try await RawServer.run { peer in
            _ = await peer.read(1)
            try await peer.send("HTTP/1.1 SECRET\r\nX: SECRET\r\n\r\n")
        } while: { port in
            try await withTransport { transport in
                for target in [port, 1] {
                    for scheme in ["http", "https", "ws", "wss"] {
                        let request = HTTPRequest(
                            method: .get,
                            scheme: scheme,
                            authority: "127.0.0.1:\(target)",
                            path: "/a?key=SECRET",
                            headerFields: [.authorization: "SECRET"]
                        )
                        let error = await failure { () throws(TransportError) in
                            if scheme.hasPrefix("http") {
                                _ = try await transport.send(request, body: .empty, timeout: LiveWorld.hang)
                            } else {
                                _ = try await transport.connect(
                                    request,
                                    limits: WebSocketLimits(),
                                    timeout: LiveWorld.hang
                                )
                            }
                        }
                        let text = try #require(error).description
                        #expect(!text.contains("SECRET"))
                        #expect(text.contains("/a"))
                    }
                }
            }
        }
    }

    @Test("a transport that was shut down refuses work")
    func afterShutdown() async throws {
        try await withLive(ScriptedServer.echo()) { world, _ in
            let socket = try await world.connect()
            await world.transport.shutdown()
            #expect(try await socket.receive() == .closed(.abnormal))
            #expect(
                await failure { () throws(TransportError) in _ = try await world.send() }?.code == .closed
            )
            let later = await failure { () throws(TransportError) in _ = try await world.connect() }
            #expect(later?.code == .closed)
            await world.transport.shutdown()
        }
    }
}
