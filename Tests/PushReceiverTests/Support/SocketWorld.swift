import HTTP2Host
import LiveTransport
import LocalAuthority
import PushProvider
import PushServer
import SignedToken
import Transport

/// The same world on sockets of this machine.
enum SocketWorld {
    /// A world on sockets, over TLS.
    static func make(allowing isAllowed: Bool = true) async throws -> ConnectionWorld {
        let key = ES256PrivateKey()
        let service = PushServer(ConnectionWorld.project(key.publicKey))
        let authority = try LocalAuthority(host: "127.0.0.1")
        let host = try LoopbackHost(identity: authority.identity)
        let providers = try await HTTP2Host(identity: authority.identity)
            .listen(service.providerSide, at: .loopback())
        let devices = try await host.listen(service.deviceSide, at: .loopback())
        let transport = try LiveTransport(
            LiveTransport.Configuration(extraTrustedRoots: [.bytes(Array(authority.rootPEM.utf8))])
        )
        let provider = PushProvider(
            authority: "localhost:\(providers.address.port)",
            topic: ConnectionWorld.topic,
            credentials: ConnectionWorld.credentials(key),
            over: transport
        )
        let address = devices.address
        return ConnectionWorld(service, provider, transport, "wss", host, address, devices, isAllowed) {
            await providers.stop()
            await transport.shutdown()
        }
    }
}
