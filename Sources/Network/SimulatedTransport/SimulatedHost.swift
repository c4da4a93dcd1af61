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
public final class SimulatedHost: Transport, PeerHost, @unchecked Sendable {
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
    /// By port, in the order in which they were bound.
    var sockets: [Int: [SimulatedDatagramSocket]] = [:]
    /// Interfaces to subnets, the default route first.
    var attached: [SimulatedInterface] = []
    /// Number 1 is loopback.
    var nextInterface = 2
    /// Whether all interfaces are off for now; see ``setAirplaneMode(_:_:)``.
    public internal(set) var isInAirplaneMode = false
    /// Called with ``isConnected`` whenever that has changed, on the thread of the simulation.
    var connectionWatchers: [@Sendable (Bool) -> Void] = []
    /// What they were called with last.
    var reportedConnection = true
    /// Connections that no request uses now.
    var kept = KeptConnections()
    /// Who waits for a connection or an address, by when they began to.
    private var dials: [Int: Slot] = [:]
    private var nextDial = 0
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

    // MARK: Dials

    /// Waits for the answer to a dial or a look-up; the end of the node's life ends the wait.
    func wait(at slot: Slot, until deadline: Int64) async -> Slot.Wake {
        let number = nextDial
        nextDial += 1
        dials[number] = slot
        let wake = await slot.wait(until: deadline)
        dials[number] = nil
        return wake
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
        let waiting = dials.sorted { $0.key < $1.key }
        dials = [:]
        for (_, slot) in waiting { slot.wake() }
        network.crashed(self, endKind)
        for listener in listeners { listener.crashed() }
    }

    // MARK: Addresses

    /// Whether a name is the host's own, for which it asks nobody.
    func isOwn(_ name: String) -> Bool { name.lowercased() == "localhost" || network.find(name) === self }

    /// The addresses of what is written as a host, when the host knows them without asking: literals and its own names.
    func ownAddresses(_ host: String) -> [IPAddress]? {
        if let literal = IPAddress(host) { return [literal] }
        if host.lowercased() == "localhost" { return [.loopbackV4, .loopbackV6] }
        return network.find(host) === self ? addresses : nil
    }

    /// The endpoint at which something is bound, or why it cannot be.
    ///
    /// - Parameters:
    ///   - address: What the caller has asked for.
    ///   - operation: What is tried, for errors.
    ///   - takesGroups: Whether addresses of groups and broadcast addresses can be bound.
    ///   - isTaken: Whether something else stands in the way at an endpoint.
    func claim(
        _ address: SocketAddress,
        operation: String,
        takesGroups: Bool = false,
        isTaken: (Endpoint) -> Bool
    ) throws(TransportError) -> Endpoint {
        func unavailable(_ detail: String) -> TransportError {
            TransportError(.addressUnavailable, operation: operation, peer: "\(address)", detail: detail)
        }
        guard node.isAlive else { throw unavailable("the node \(name) has crashed") }
        guard (0...65535).contains(address.port) else { throw unavailable("a port is 0…65535") }
        guard let found = ownAddresses(address.host)?.first, mayBind(found, takesGroups: takesGroups) else {
            throw unavailable("not an address of \(name)")
        }
        var endpoint = Endpoint(found, port: address.port)
        if endpoint.port == 0 {
            guard let free = freePort(at: found, isTaken) else { throw unavailable("no port is free") }
            endpoint = free
        } else if isTaken(endpoint) {
            throw unavailable("already taken")
        }
        guardLife()
        return endpoint
    }

    private func mayBind(_ address: IPAddress, takesGroups: Bool) -> Bool {
        if address.isUnspecified || holds(address) { return true }
        return takesGroups && (address.isMulticast || active.contains { $0.subnet.isBroadcast(address) })
    }

    /// The next free dynamic port; each is used before one is used again.
    private func freePort(at address: IPAddress, _ isTaken: (Endpoint) -> Bool) -> Endpoint? {
        for _ in 49152...65535 {
            let endpoint = Endpoint(address, port: nextPort)
            nextPort = nextPort == 65535 ? 49152 : nextPort + 1
            if !isTaken(endpoint) { return endpoint }
        }
        return nil
    }
}

extension IPAddress {
    /// Whether something that is bound here gets what is sent to an address of the same host.
    ///
    /// `::` stands for the addresses of both versions, as it does by default on Linux.
    func takes(_ address: IPAddress) -> Bool {
        isUnspecified ? version == .v6 || address.version == .v4 : self == address
    }
}

extension [Int: SimulatedListener] {
    /// By port.
    fileprivate var inOrder: [SimulatedListener] { sorted { $0.key < $1.key }.map(\.value) }
}

extension [Int: [SimulatedDatagramSocket]] {
    /// By port, then in the order in which they were bound.
    fileprivate var inOrder: [SimulatedDatagramSocket] { sorted { $0.key < $1.key }.flatMap(\.value) }
}
