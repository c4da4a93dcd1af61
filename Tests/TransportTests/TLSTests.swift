import Foundation
import HTTPTypes
import NIOSSL
import TestSupport
import Testing
import Transport

@testable import LiveTransport

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
            let body = try await world.send().body.collect(upTo: 10)
            #expect(body == Array("https".utf8))
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

    @Test("a cut is immediate: nothing is sent any more, and no goodbye of TLS is waited for")
    func cut() async throws {
        let identity = Certificates.identity("localhost")
        try await withLive(.echo(), identity: identity, configuration: Certificates.trusting) { world, _ in
            try await CountingRelay.run(to: world.address.port) { relay in
                let near = LiveWorld(
                    transport: world.transport,
                    address: .loopback(port: relay.port),
                    isSecure: true
                )
                let socket = try await near.connect()
                try await socket.send(text: "x")
                #expect(try await socket.receive() == .text("x"))
                relay.forget()
                await socket.close(.abnormal)
                await relay.ended.wait()
                #expect(relay.sent == 0)
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

    @Test(
        "where the machine's roots cannot be loaded, a rejection says so, and servers of one's own are accepted"
    )
    func noMachineRoots() async throws {
        var configuration = LiveTransport.Configuration()
        configuration.machineRoots = .file("/nonexistent/roots.pem")
        let identity = Certificates.identity("localhost")
        try await withLive(server, identity: identity, configuration: configuration) { world, _ in
            let http = await failure { () throws(TransportError) in _ = try await world.send() }
            let socket = await failure { () throws(TransportError) in _ = try await world.connect() }
            for error in [http, socket] {
                #expect(error?.code == .certificateRejected)
                let words = "; this machine's trusted certificates could not be loaded: "
                // The reason itself follows.
                let said = error?.detail.components(separatedBy: words)
                #expect(said?.count == 2 && said?.first?.isEmpty == false && said?.last?.isEmpty == false)
            }
        }
        configuration.extraTrustedRoots = Certificates.trusting.extraTrustedRoots
        try await withLive(server, identity: identity, configuration: configuration) { world, _ in
            let body = try await world.send().body.collect(upTo: 10)
            #expect(body == Array("https".utf8))
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
            let bytes = [UInt8].pattern(5_000_000)
            let (_, body) = try await world.send(.post, body: .bytes(bytes))
            #expect(try await body.collect(upTo: 5_000_000) == bytes)
        }
    }
}

@Suite("Versions of TLS over live sockets", .timeLimit(.minutes(5)))
struct TLSVersionTests {
    /// A hello of a client that speaks nothing newer than a version of TLS (RFC 5246 section 7.4.1.2).
    private func hello(minor: UInt8) -> [UInt8] {
        // AES in CBC mode, which all versions have, for certificates with either kind of key; and with GCM.
        let suites: [UInt8] = [0xC0, 0x09, 0xC0, 0x13, 0x00, 0x2F, 0xC0, 0x2B, 0xC0, 0x2F]
        let groups: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0]
        let signatures: [UInt8] = [0, 13, 0, 6, 0, 4, 4, 3, 4, 1]
        let extensions = groups + (minor >= 3 ? signatures : [])
        var body: [UInt8] = [3, minor] + [UInt8](repeating: 7, count: 32) + [0]
        body += [0, UInt8(suites.count)] + suites + [1, 0, 0, UInt8(extensions.count)] + extensions
        let message: [UInt8] = [1, 0, 0, UInt8(body.count)] + body
        return [22, 3, 1, 0, UInt8(message.count)] + message
    }

    @Test("a server refuses TLS 1.0 and 1.1", arguments: [UInt8(1), 2])
    func server(minor: UInt8) async throws {
        let identity = Certificates.identity("localhost")
        try await withLive(ScriptedServer(), identity: identity) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(hello(minor: minor))
            let answer = await peer.read(7)
            // A fatal alert: protocol_version (RFC 8446 section 6.2).
            #expect(answer.first == 21 && Array(answer.suffix(2)) == [2, 70], "\(answer)")
            try await peer.close()
        }
    }

    @Test("a private key prints without its content")
    func printing() {
        let identity = ServerIdentity(
            certificateChain: .file("/chain.pem"),
            privateKey: .bytes(Array("hunter2".utf8))
        )
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] {
            // Its bytes would print as numbers.
            #expect(!text.contains("hunter2") && !text.contains("104"), "\(text)")
            #expect(text.contains("/chain.pem"))
        }
    }

    @Test("a server accepts TLS 1.2")
    func serverAccepts() async throws {
        let identity = Certificates.identity("localhost")
        try await withLive(ScriptedServer(), identity: identity) { world, _ in
            let peer = try await RawConnection.connect(port: world.address.port)
            try await peer.send(hello(minor: 3))
            let answer = await peer.read(6)
            // A handshake record that begins with a server's hello.
            #expect(answer.first == 22 && answer.last == 2, "\(answer)")
            try await peer.close()
        }
    }

    @Test("a client offers nothing older than TLS 1.2")
    func client() async throws {
        let offered = Box<[UInt8]>([])
        try await RawServer.run { peer in
            let head = await peer.read(5)
            guard head.count == 5 else { return }
            offered.set(await peer.read(Int(head[3]) << 8 | Int(head[4])))
        } while: { port in
            try await withTransport { transport in
                let world = LiveWorld(transport: transport, address: .loopback(port: port), isSecure: true)
                _ = await failure { () throws(TransportError) in _ = try await world.send() }
                let bytes = offered.value
                // The extension supported_versions, of type 43, with a list of two versions or one.
                let place = try #require(
                    [[0, 43, 0, 5, 4, 3, 4, 3, 3], [0, 43, 0, 3, 2, 3, 3], [0, 43, 0, 3, 2, 3, 4]]
                        .compactMap { bytes.firstRange(of: $0 as [UInt8]) }.first
                        ?? bytes.firstRange(of: [0, 43])
                )
                let list = bytes[(place.lowerBound + 5)...].prefix(Int(bytes[place.lowerBound + 4]))
                #expect(
                    list.count > 0 && !list.chunks(of: 2).contains { $0 == [3, 1] || $0 == [3, 2] },
                    "\(list)"
                )
            }
        }
    }
}

extension Collection where Element == UInt8 {
    fileprivate func chunks(of size: Int) -> [[UInt8]] {
        var rest = self[...]
        var chunks: [[UInt8]] = []
        while !rest.isEmpty {
            chunks.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return chunks
    }
}
