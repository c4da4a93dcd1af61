import Simulation
public import Transport

/// What a crash of a node takes with it.
public enum CrashKind: Sendable, Hashable {
    /// The process: its system closes the connections, and the other ends learn of it after one latency.
    case process
    /// The whole machine: silence, until the node is restarted and answers old connections with resets.
    case machine
}

/// One host of a simulated network, through which clients call and on which servers listen.
///
/// Everything on it belongs to the node of its name: connections, listeners and sockets end when the node crashes,
/// and servers' tasks run on the node. Calls may come from any node's task; most often they come from the host's own.
public final class SimulatedHost: Transport, ServerHost, @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// The node's name, under which other hosts find this one.
    public let name: String
    /// What a crash of the node takes with it; decided when it crashes.
    ///
    /// A node that loses its power takes its machine with it in any case.
    public var crashKind = CrashKind.process

    let index: Int
    let node: Node
    unowned let network: SimulatedNetwork
    var listeners: [Int: SimulatedListener] = [:]
    var sockets: [Int: SimulatedDatagramSocket] = [:]
    /// Who waits for a connection.
    var dials: [Slot] = []
    /// The first of the dynamic ports (RFC 6335 section 6).
    private var nextPort = 49152
    /// The node's life in which its end was last registered.
    private var guardedLife = -1

    init(_ name: String, index: Int, node: Node, network: SimulatedNetwork) {
        self.name = name
        self.index = index
        self.node = node
        self.network = network
    }

    /// Whether nobody answers here, not even the system.
    var isSilent: Bool { !node.isAlive && endKind == .machine }

    /// What the end of the node's life takes with it.
    private var endKind: CrashKind { node.hasPower ? crashKind : .machine }

    /// Runs an event on the host's node; dropped when the node crashes.
    func schedule(at time: Int64, _ event: @escaping @Sendable () -> Void) {
        network.schedule(on: node, at: time, event)
    }

    // MARK: Crashes

    /// Makes sure that what is made now ends with this life of the node.
    func guardLife() {
        guard guardedLife != node.crashes else { return }
        guardedLife = node.crashes
        node.onEnd { [unowned self] in crashed() }
    }

    private func crashed() {
        let (listeners, sockets) = (listeners.inOrder, sockets.inOrder)
        self.listeners = [:]
        self.sockets = [:]
        for socket in sockets { socket.end() }
        for dial in dials { dial.wake() }
        dials = []
        network.crashed(self, endKind)
        for listener in listeners { listener.crashed() }
    }

    // MARK: Addresses

    /// Whether a name means this host when it is used on this host.
    func isOwn(_ host: String) -> Bool { Self.isLoopback(host) || network.find(host) === self }

    /// The host that a name means here.
    func resolve(_ host: String) -> SimulatedHost? { Self.isLoopback(host) ? self : network.find(host) }

    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "127.0.0.1" || host == "::1"
    }

    static func isWildcard(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    /// The address under which something is bound, or why it cannot be.
    func claim(
        _ address: SocketAddress,
        operation: String,
        isTaken: (Int) -> Bool
    ) throws(TransportError) -> SocketAddress {
        func unavailable(_ detail: String) -> TransportError {
            TransportError(.addressUnavailable, operation: operation, peer: "\(address)", detail: detail)
        }
        guard node.isAlive else { throw unavailable("the node \(name) has crashed") }
        guard (0...65535).contains(address.port) else { throw unavailable("a port is 0…65535") }
        var address = address
        if Self.isWildcard(address.host) {
            address.host = name
        } else if !isOwn(address.host) {
            throw unavailable("not an address of \(name)")
        }
        if address.port == 0 {
            guard let port = freePort(isTaken) else { throw unavailable("no port is free") }
            address.port = port
        } else if isTaken(address.port) {
            throw unavailable("already taken")
        }
        guardLife()
        return address
    }

    /// The next free dynamic port; each is used before one is used again.
    private func freePort(_ isTaken: (Int) -> Bool) -> Int? {
        for _ in 49152...65535 {
            let port = nextPort
            nextPort = port == 65535 ? 49152 : port + 1
            if !isTaken(port) { return port }
        }
        return nil
    }
}

extension [Int: SimulatedListener] {
    /// By port.
    fileprivate var inOrder: [SimulatedListener] { sorted { $0.key < $1.key }.map(\.value) }
}

extension [Int: SimulatedDatagramSocket] {
    /// By port.
    fileprivate var inOrder: [SimulatedDatagramSocket] { sorted { $0.key < $1.key }.map(\.value) }
}
