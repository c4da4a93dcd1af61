import HTTPTypes
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// A phone, a server called gemini with one listener, and 10 ms between them.
struct SimulatedWorld {
    let simulation: Simulation
    let network: SimulatedNetwork
    let phone: SimulatedHost
    let gemini: SimulatedHost
    let listener: any Listener

    static func start(
        _ server: ScriptedServer,
        timing: StreamTiming = StreamTiming()
    ) async throws -> SimulatedWorld {
        let simulation = try #require(Simulation.current)
        let network = SimulatedNetwork(
            defaults: LinkConditions(latency: .constant(.milliseconds(10))),
            timing: timing
        )
        let gemini = network.host("gemini", aliases: ["generativelanguage.googleapis.com"])
        let listener = try await gemini.listen(server, at: SocketAddress(host: "gemini", port: 443))
        return SimulatedWorld(
            simulation: simulation,
            network: network,
            phone: network.host("phone"),
            gemini: gemini,
            listener: listener
        )
    }

    var link: SimulatedLinkPair { network["phone", "gemini"] }

    func connect(
        _ authority: String = "gemini",
        scheme: String = "wss",
        limits: WebSocketLimits = WebSocketLimits(),
        timeout: Duration = .seconds(30)
    ) async throws(TransportError) -> any WebSocket {
        let request = HTTPRequest(
            method: .get,
            scheme: scheme,
            authority: authority,
            path: "/live?key=SECRET"
        )
        return try await phone.connect(request, limits: limits, timeout: timeout)
    }

    func send(
        _ method: HTTPRequest.Method = .get,
        to authority: String = "gemini",
        body: HTTPBody = .empty,
        timeout: Duration = .seconds(30)
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: authority,
            path: "/a?key=SECRET"
        )
        return try await phone.send(request, body: body, timeout: timeout)
    }

    /// Runs an operation and returns how much virtual time it took.
    func time(_ operation: () async throws -> Void) async throws -> Duration {
        let start = simulation.now
        try await operation()
        return simulation.now - start
    }
}
