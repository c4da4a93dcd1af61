public import LiveTransport
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
    /// The way to them.
    public let transport: LiveTransport
    private let hosted: [String: (server: any Server, listener: any Listener)]

    /// Hosts each server on a free port.
    ///
    /// - Throws: `TransportError`.
    public static func start(_ servers: [String: any Server]) async throws -> LoopbackPeers {
        let host = try LoopbackHost()
        var hosted: [String: (server: any Server, listener: any Listener)] = [:]
        do {
            for (name, server) in servers {
                hosted[name] = (server, try await host.listen(server, at: .loopback()))
            }
            return LoopbackPeers(hosted, try LiveTransport())
        } catch {
            for peer in hosted.values { await peer.listener.stop() }
            throw error
        }
    }

    private init(_ hosted: [String: (server: any Server, listener: any Listener)], _ transport: LiveTransport)
    {
        self.hosted = hosted
        self.transport = transport
    }

    /// The server of that name.
    ///
    /// - Precondition: One of that name and type was started.
    public func server<Peer: Server>(_ name: String, as type: Peer.Type = Peer.self) -> Peer {
        guard let server = hosted[name]?.server as? Peer else {
            preconditionFailure("no \(Peer.self) is hosted under the name \(name)")
        }
        return server
    }

    /// Where a client finds the server of that name.
    ///
    /// - Precondition: One of that name was started.
    public func address(of name: String) -> SocketAddress {
        guard let address = hosted[name]?.listener.address else {
            preconditionFailure("nothing is hosted under the name \(name)")
        }
        return address
    }

    /// Ends the servers, and the way to them.
    public func stop() async {
        await transport.shutdown()
        for peer in hosted.values { await peer.listener.stop() }
    }
}
