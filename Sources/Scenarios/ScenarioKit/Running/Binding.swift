public import LiveTransport
import Simulation
import Synchronization
public import Transport

/// How the world of a scenario reaches its services.
public enum Binding: Sendable {
    /// Over the simulated network of the current simulation.
    case simulated
    /// Over real sockets of this machine, in real time.
    case loopback(LoopbackPeers)

    /// The binding of the run that the calling task belongs to.
    @TaskLocal public static var current: Binding = .simulated

    /// Whether it is the simulated network.
    public var isSimulated: Bool { if case .simulated = self { true } else { false } }
}

/// Services behind real sockets of this machine, and a way to them.
public final class LoopbackPeers: Sendable {
    private struct Hosted {
        var listeners: [any Listener] = []
        var addresses: [String: SocketAddress] = [:]
    }

    private let place: LoopbackHost
    private let hosted = Mutex(Hosted())
    private let way: Mutex<LiveTransport>

    /// Hosts nothing yet.
    init() throws {
        place = try LoopbackHost()
        way = Mutex(try LiveTransport())
    }

    /// The way to them.
    public var transport: LiveTransport { way.withLock(\.self) }

    /// Ends the way to them, as the end of a process closes its sockets, and opens another.
    func reconnect() async throws {
        try await Simulation.outside { [self] in
            await transport.shutdown()
            let new = try LiveTransport()
            way.withLock { $0 = new }
        }
    }

    /// Hosts each server on a free port.
    ///
    /// - Throws: `TransportError`.
    public static func start(_ servers: [String: any Server]) async throws -> LoopbackPeers {
        let peers = try LoopbackPeers()
        do {
            for (name, server) in servers { try await peers.host(server, as: name) }
        } catch {
            await peers.stop()
            throw error
        }
        return peers
    }

    /// Hosts a server on a free port; it runs outside of the simulation that asks for it.
    func host(_ server: any Server, as name: String) async throws(TransportError) {
        let place = place
        let listener = try await Simulation.outside { () async throws(TransportError) -> any Listener in
            try await place.listen(server, at: .loopback())
        }
        hosted.withLock {
            $0.listeners.append(listener)
            $0.addresses[name] = listener.address
        }
    }

    /// The host and the port at which a client finds the server of that name, such as `127.0.0.1:40123`.
    ///
    /// - Precondition: One of that name was hosted.
    public func authority(of name: String) -> String {
        guard let address = hosted.withLock({ $0.addresses[name] }) else {
            preconditionFailure("nothing is hosted under the name \(name)")
        }
        return "\(address)"
    }

    /// Ends the servers, and the way to them.
    public func stop() async {
        await transport.shutdown()
        for listener in hosted.withLock(\.listeners) { await listener.stop() }
    }
}
