import HTTPTypes
import LiveTransport
import Testing
import Transport
import TransportConformance

@Suite("TLS over live sockets", .timeLimit(.minutes(5)))
struct TLSTests {
    private let server = ScriptedServer(
        answer: { request, body in (HTTPResponse(status: .ok), .text(request.scheme ?? "")) },
        decide: { request in
            let scheme = request.scheme ?? ""
            return .accept(WebSocketLimits()) { socket in try? await socket.send(text: scheme) }
        }
    )

    @Test(
        "a certificate of a trusted root is accepted by name and by address",
        arguments: ["localhost", "127.0.0.1"]
    )
    func trusted(host: String) async throws {
        let identity = Certificates.identity("localhost")
        try await withLive(server, identity: identity, configuration: Certificates.trusting) { world, _ in
            var world = world
            world.host = host
            #expect(try await world.send().body.collect(upTo: 10) == Array("https".utf8))
            let socket = try await world.connect()
            #expect(try await socket.receive() == .text("wss"))
            #expect(try await socket.receive() == .closed(.normal))
        }
    }

    @Test("a certificate that does not fit is rejected", arguments: ["wrong-host", "expired", "untrusted"])
    func rejected(name: String) async throws {
        let identity = Certificates.identity(name)
        try await withLive(server, identity: identity, configuration: Certificates.trusting) { world, _ in
            for host in ["localhost", "127.0.0.1"] {
                var world = world
                world.host = host
                let target = world
                let http = await failure { () throws(TransportError) in _ = try await target.send() }
                #expect(http?.code == .certificateRejected)
                let socket = await failure { () throws(TransportError) in _ = try await target.connect() }
                #expect(socket?.code == .certificateRejected)
            }
        }
    }

    @Test("without the extra root, its certificates are rejected")
    func systemRootsOnly() async throws {
        try await withLive(server, identity: Certificates.identity("localhost")) { world, _ in
            let http = await failure { () throws(TransportError) in _ = try await world.send() }
            #expect(http?.code == .certificateRejected)
        }
    }

    @Test("a server without TLS breaks the protocol for a client with it")
    func plainServer() async throws {
        try await withLive(server) { world, _ in
            let secure = LiveWorld(transport: world.transport, address: world.address, isSecure: true)
            let http = await failure { () throws(TransportError) in _ = try await secure.send() }
            #expect(http?.code == .protocolViolation)
            let socket = await failure { () throws(TransportError) in _ = try await secure.connect() }
            #expect(socket?.code == .protocolViolation)
        }
    }

    @Test("unreadable certificates are reported when they are given")
    func unreadable() async throws {
        let nonsense = PEMSource.bytes(Array("nonsense".utf8))
        let root = await failure { () throws(TransportError) in
            _ = try LiveTransport(LiveTransport.Configuration(extraTrustedRoots: [nonsense]))
        }
        #expect(root?.code == .certificateRejected)
        let identity = await failure { () throws(TransportError) in
            _ = try LoopbackHost(identity: ServerIdentity(certificateChain: nonsense, privateKey: nonsense))
        }
        #expect(identity?.code == .certificateRejected)
    }

    @Test("5 MB go through TLS both ways")
    func streams() async throws {
        let echo = ScriptedServer.answering { _, body in body }
        let identity = Certificates.identity("localhost")
        try await withLive(echo, identity: identity, configuration: Certificates.trusting) { world, _ in
            let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
            let (_, body) = try await world.send(.post, body: .bytes(bytes))
            #expect(try await body.collect(upTo: 5_000_000) == bytes)
        }
    }
}
