import Foundation
import HTTP2Host
import HTTPTypes
import LiveTransport
import LocalAuthority
import PeerKit
import PushProvider
import PushServer
import PushWire
import SignedToken
import TestSupport
import Testing
import Transport

@Suite("The push service over HTTP/2", .timeLimit(.minutes(2)))
struct LiveProviderTests {
    /// A push service on sockets of this machine, and a provider and a device of it.
    private struct Served {
        let service: PushServer
        let provider: PushProvider
        let transport: LiveTransport
        let address: SocketAddress
        let devices: SocketAddress
        let listeners: [any Listener]
        let noted: NotedProviderSide
        let key: ES256PublicKey

        func stop() async {
            for listener in listeners { await listener.stop() }
            await transport.shutdown()
        }

        func device() async throws -> (socket: any WebSocket, token: String) {
            let request = HTTPRequest(
                method: .get,
                scheme: "wss",
                authority: "\(devices)",
                path: PushServer.devicePath
            )
            let socket = try await transport.connect(
                request,
                limits: WebSocketLimits(),
                timeout: .seconds(30)
            )
            let hello = PushHello(environment: .production, topic: "dev.example.app")
            try await socket.send(text: DeviceMessage.hello(hello).text)
            guard case .text(let text) = try await socket.receive(),
                case .welcome(let token, _) = try ServiceMessage(text)
            else { throw NoWelcome() }
            return (socket, token)
        }
    }

    private func serve(_ limits: HTTP2Host.Limits = HTTP2Host.Limits()) async throws -> Served {
        let key = ES256PrivateKey()
        let service = PushServer(
            PushProject(
                teamID: "TEAM000001",
                keys: [PushProject.Key(id: "KEY0000001", publicKey: key.publicKey)],
                topics: ["dev.example.app"]
            )
        )
        let noted = NotedProviderSide(service.providerSide)
        let authority = try LocalAuthority(host: "127.0.0.1")
        let providers = try await HTTP2Host(identity: authority.identity, limits: limits)
            .listen(noted, at: .loopback())
        let devices = try await LoopbackHost(identity: authority.identity)
            .listen(service.deviceSide, at: .loopback())
        let transport = try LiveTransport(
            LiveTransport.Configuration(extraTrustedRoots: [.bytes(Array(authority.rootPEM.utf8))])
        )
        let provider = PushProvider(
            authority: "localhost:\(providers.address.port)",
            topic: "dev.example.app",
            credentials: PushProvider.Credentials(teamID: "TEAM000001", keyID: "KEY0000001", signer: key),
            over: transport
        )
        return Served(
            service: service,
            provider: provider,
            transport: transport,
            address: providers.address,
            devices: SocketAddress(host: "localhost", port: devices.address.port),
            listeners: [providers, devices],
            noted: noted,
            key: key.publicKey
        )
    }

    private func message(_ token: String, _ number: Int = 0, payload: String = PushFixture.payload)
        -> PushMessage
    {
        let digits = String(number)
        let id = "6f9619ff-8b86-4011-b42d-" + String(repeating: "0", count: 12 - digits.count) + digits
        return PushMessage(token: token, id: id, payload: Array(payload.utf8))
    }

    @Test(
        "ARGUS-061 a provider sends POST /3/device/{token} over HTTP/2 with the app's topic, the push type alert and a bearer token that is signed with ES256, and is answered with 200, with 400 BadDeviceToken for a token that was never given, and with 410 Unregistered for one that has ended"
    )
    func delivers() async throws {
        let served = try await serve()
        let (socket, token) = try await served.device()
        #expect(await served.provider.send(message(token)) == .accepted)
        guard case .text(let text) = try await socket.receive(),
            case .notification(let delivery) = try ServiceMessage(text)
        else { throw NoWelcome() }
        #expect(delivery.payload == PushFixture.payload)
        let stranger = String(repeating: "ab", count: 32)
        #expect(await served.provider.send(message(stranger)) == .badDeviceToken)
        served.service.end(token)
        guard case .unregistered(let since) = await served.provider.send(message(token)) else {
            Issue.record("a token that has ended was taken")
            return
        }
        #expect(abs(since.timeIntervalSinceNow) < 60)
        // The host speaks HTTP/2 alone.
        let exchanges = served.noted.exchanges
        #expect(exchanges.map(\.status) == [200, 400, 410])
        #expect(exchanges.map(\.reason) == ["", "BadDeviceToken", "Unregistered"])
        #expect(exchanges.map(\.request.path) == [token, stranger, token].map { "/3/device/\($0)" })
        for request in exchanges.map(\.request) {
            #expect(request.method == .post && request.scheme == "https")
            #expect(request.headerFields.value("apns-topic") == "dev.example.app")
            #expect(request.headerFields.value("apns-push-type") == "alert")
            let words = try #require(request.headerFields[.authorization]).split(separator: " ")
            #expect(words.first == "bearer")
            let jwt = try #require(SignedToken(String(words.last ?? "")))
            let header = try JSONValue(json: jwt.header)
            #expect(header["alg"] == "ES256" && header["kid"] == "KEY0000001")
            let claims = try JSONValue(json: jwt.claims)
            #expect(claims["iss"] == "TEAM000001" && claims["iat"]?.integer != nil)
            #expect(served.key.isValid(jwt.signature, for: jwt.signed))
        }
        await served.stop()
    }

    @Test("hundreds of notifications share a connection, and GOAWAY in the middle of them loses none")
    func goAway() async throws {
        let served = try await serve()
        let (_, token) = try await served.device()
        // A first one, so that the others find a connection.
        #expect(await served.provider.send(message(token)) == .accepted)
        try served.service.faults.arm("push.shutdown", skipping: 20, atMost: 1)
        let count = 60
        let outcomes = await withTaskGroup(of: PushOutcome.self) { group in
            for number in 1...count {
                group.addTask {
                    while true {
                        let outcome = await served.provider.send(self.message(token, number))
                        guard case .later = outcome else { return outcome }
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == count && outcomes.allSatisfy { $0 == .accepted })
        let refusals = served.service.log.filter { if case .refused(_, 503, _) = $0 { true } else { false } }
        #expect(refusals.count == 1)
        await served.stop()
    }

    @Test("a body over the host's limit is refused with the service's answer")
    func large() async throws {
        var limits = HTTP2Host.Limits()
        limits.bodyBytes = 2048
        let served = try await serve(limits)
        let (_, token) = try await served.device()
        for count in [3000, 4000] {
            let long = #"{"aps":{"alert":"\#(String(repeating: "a", count: count))"}}"#
            #expect(
                await served.provider.send(message(token, payload: long))
                    == .refused(status: 413, reason: "PayloadTooLarge")
            )
        }
        #expect(await served.provider.send(message(token, 1)) == .accepted)
        await served.stop()
    }

    @Test("a listener that stops ends its connections, and one that has stopped refuses them")
    func stops() async throws {
        let served = try await serve()
        let (_, token) = try await served.device()
        #expect(await served.provider.send(message(token)) == .accepted)
        await served.listeners[0].stop()
        guard case .later = await served.provider.send(message(token, 1)) else {
            Issue.record("a listener that has stopped has answered")
            return
        }
        await served.stop()
    }

    @Test("an address that other machines reach is refused unless it is allowed")
    func remote() async throws {
        let host = try HTTP2Host()
        await #expect(throws: TransportError.self) {
            _ = try await host.listen(
                ScriptedServer(),
                at: SocketAddress(host: "0.0.0.0", port: 0)
            )
        }
    }
}

/// The interface for providers, which notes what is asked and answered.
private final class NotedProviderSide: Server {
    struct Exchange {
        let request: HTTPRequest
        let status: Int
        let reason: String
    }

    private let base: any Server
    private let noted = Box<[Exchange]>([])

    init(_ base: any Server) { self.base = base }

    var exchanges: [Exchange] { noted.value }
    var mayBlock: Bool { base.mayBlock }

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let (head, answer) = await base.respond(to: request, body: body)
        let bytes = (try? await answer.collect(upTo: 1 << 16)) ?? []
        let reason = (try? JSONValue(json: bytes))?["reason"]?.string ?? ""
        noted.append(Exchange(request: request, status: head.status.code, reason: reason))
        return (head, bytes.isEmpty ? .empty : .bytes(bytes))
    }
}
