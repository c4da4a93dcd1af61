import HTTPTypes
import LiveTransport
import TestSupport
import Transport

/// A client transport and one server on loopback.
struct LiveWorld: Sendable {
    let transport: LiveTransport
    let address: SocketAddress
    let isSecure: Bool
    /// What URLs call the server.
    var host = "127.0.0.1"

    /// Ends a test that hangs; no test expects that something happens within it.
    static let hang = Duration.seconds(240)

    var authority: String { "\(host):\(address.port)" }

    func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(
            method: method,
            scheme: isSecure ? "https" : "http",
            authority: authority,
            path: path,
            headerFields: fields
        )
    }

    func send(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        body: HTTPBody = .empty,
        timeout: Duration = Self.hang
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        try await transport.send(request(method, path), body: body, timeout: timeout)
    }

    func connect(
        _ path: String = "/",
        limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration = Self.hang
    ) async throws(TransportError) -> any WebSocket {
        let request = HTTPRequest(
            method: .get,
            scheme: isSecure ? "wss" : "ws",
            authority: authority,
            path: path
        )
        return try await transport.connect(request, limits: limits, timeout: timeout)
    }
}

/// Runs a test against a hosted server, and ends both sides afterwards.
func withLive(
    _ server: ScriptedServer,
    limits: LoopbackHost.Limits = LoopbackHost.Limits(),
    identity: ServerIdentity? = nil,
    configuration: LiveTransport.Configuration = LiveTransport.Configuration(),
    _ body: (LiveWorld, any Listener) async throws -> Void
) async throws {
    let host = try LoopbackHost(identity: identity, limits: limits)
    let listener = try await host.listen(server, at: .loopback())
    try await withTransport(configuration) { transport in
        let world = LiveWorld(transport: transport, address: listener.address, isSecure: identity != nil)
        do {
            try await body(world, listener)
        } catch {
            await listener.stop()
            throw error
        }
    }
    await listener.stop()
}

/// Runs a test with a transport, and shuts it down afterwards.
func withTransport(
    _ configuration: LiveTransport.Configuration = LiveTransport.Configuration(),
    _ body: (LiveTransport) async throws -> Void
) async throws {
    let transport = try LiveTransport(configuration)
    do {
        try await body(transport)
    } catch {
        await transport.shutdown()
        throw error
    }
    await transport.shutdown()
}
