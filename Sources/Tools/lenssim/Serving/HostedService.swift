import CommandKit
import EchoServer
import LiveTransport
import Transport

/// A service that `lenssim serve` has started, with all its sockets.
struct HostedService {
    /// What a client has to know.
    let facts: ServedFacts
    /// What ends it, in this order.
    private let endings: [@Sendable () async -> Void]

    /// A service that has started.
    init(facts: ServedFacts, endings: [@Sendable () async -> Void]) {
        (self.facts, self.endings) = (facts, endings)
    }

    /// Starts a server, and returns once clients can use it.
    ///
    /// - Parameters:
    ///   - name: The service's name.
    ///   - isSecure: Whether the sockets speak TLS.
    /// - Throws: `addressUnavailable`, ``RefusedFaults``, and what the service's other parts throw.
    static func start(
        _ served: ServedServer,
        named name: String,
        faults: ServiceFaults?,
        isSecure: Bool,
        on sockets: LoopbackHost,
        at address: SocketAddress
    ) async throws -> HostedService {
        if let points = served.faults { try faults?.arm(points) }
        let listener = try await sockets.listen(served.server, at: address)
        let url = "\(isSecure ? "https" : "http")://\(listener.address)"
        let place = ServedBeside.Place(address: listener.address, url: url, sockets: sockets)
        let beside: ServedBeside?
        do { beside = try await served.beside?(place) } catch {
            await listener.stop()
            throw error
        }
        let facts = served.facts(url) + (beside?.facts ?? []) + (faults?.facts ?? [])
        return HostedService(
            facts: ServedFacts(service: name, address: url, facts: facts),
            endings: [{ await beside?.stop() }, { await listener.stop() }]
        )
    }

    /// Starts a camera, which has datagrams alone.
    static func start(_ camera: HostedCamera, named name: String, faults: ServiceFaults?) -> HostedService {
        let facts = camera.facts + (faults?.facts ?? [])
        return HostedService(
            facts: ServedFacts(service: name, address: "udp://\(camera.address)", facts: facts),
            endings: [{ await camera.stop() }]
        )
    }

    /// Starts a server of HTTP, WebSockets and datagrams that sends everything back.
    ///
    /// - Throws: `addressUnavailable`.
    static func startEcho(
        named name: String,
        isSecure: Bool,
        on sockets: LoopbackHost,
        at address: SocketAddress
    ) async throws -> HostedService {
        let echo = EchoServer()
        let listener = try await sockets.listen(echo, at: address)
        let socket: any DatagramSocket
        do { socket = try await sockets.bind(address) } catch {
            await listener.stop()
            throw error
        }
        let answers = Task { await echo.echo(socket) }
        let place = "://\(listener.address)"
        let url = (isSecure ? "https" : "http") + place
        let facts: [ServedFacts.Fact] = [
            .init(label: "HTTP", key: "http", value: url, isKnown: true),
            .init(label: "WebSocket", key: "webSocket", value: (isSecure ? "wss" : "ws") + place),
            .init(label: "datagrams", key: "datagram", value: "\(socket.localAddress)"),
        ]
        return HostedService(
            facts: ServedFacts(service: name, address: url, facts: facts),
            endings: [
                { await listener.stop() },
                {
                    await socket.close()
                    await answers.value
                },
            ]
        )
    }

    /// Ends all connections and sockets.
    func stop() async { for end in endings { await end() } }
}
