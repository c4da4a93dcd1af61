import Simulation
public import Transport

/// The router between a subnet of private addresses and the rest of a simulated network.
///
/// It has one public IPv4 address. Datagrams that leave the subnet get a public port, and what comes back to that port is let in as
/// ``NATBehaviour`` says. Public ports are given in order from 40000 and never kept from the inside, so that nothing
/// relies on a router that preserves ports. Streams from the inside pass, and streams from the outside reach ports that are forwarded.
public final class SimulatedNAT: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// What the outside sees as the address of all hosts behind it.
    public let publicAddress: IPAddress
    /// What it does with datagrams and streams; mappings that exist are kept when it changes.
    public var behaviour: NATBehaviour

    private struct Key: Hashable {
        var inside: Endpoint
        /// `nil` when the mapping serves all peers.
        var peer: Endpoint?
    }

    private struct Mapping {
        var key: Key
        var expiry: Int64
        var peers: Set<Endpoint>
    }

    private var ports: [Key: Int] = [:]
    private var mappings: [Int: Mapping] = [:]
    private var forwards: [Int: Endpoint] = [:]
    private var nextPort = 40_000
    /// Without the well-known ones.
    private static let publicPorts = 1024...65_535

    init(publicAddress: IPAddress, behaviour: NATBehaviour) {
        self.publicAddress = publicAddress
        self.behaviour = behaviour
    }

    /// Lets everybody reach an endpoint inside by a public port, for datagrams and streams; `nil` ends it.
    public func forward(port: Int, to inside: Endpoint?) { forwards[port] = inside }

    /// How often all mappings were forgotten.
    private(set) var restarts = 0

    /// Forgets all mappings, as a router does that has restarted; forwarded ports stay.
    ///
    /// Streams from the inside stall, and break after the user timeout.
    public func forgetMappings() {
        restarts += 1
        ports = [:]
        mappings = [:]
    }

    // MARK: Datagrams

    /// The public endpoint from which a datagram goes on; makes or renews the mapping.
    ///
    /// - Returns: `nil` when all ports are taken: the datagram is lost.
    func translate(_ inside: Endpoint, to peer: Endpoint, now: Int64) -> Endpoint? {
        if let port = forwards.filter({ $0.value == inside }).keys.min() {
            return Endpoint(publicAddress, port: port)
        }
        let key = Key(inside: inside, peer: behaviour.mapping == .endpointIndependent ? nil : peer)
        guard let port = livePort(key, now) ?? openPort(key, now) else { return nil }
        mappings[port]?.expiry = now + behaviour.mappingTimeout.nanoseconds
        mappings[port]?.peers.insert(peer)
        return Endpoint(publicAddress, port: port)
    }

    /// The host inside to which a public port belongs, whether or not a datagram is let in.
    func inside(of port: Int, now: Int64) -> Endpoint? {
        if let forwarded = forwards[port] { return forwarded }
        guard let mapping = mappings[port], mapping.expiry > now else { return nil }
        return mapping.key.inside
    }

    /// Where a datagram from outside goes on to; `nil` when it is not let in.
    func admit(to port: Int, from peer: Endpoint, now: Int64) -> Endpoint? {
        if let forwarded = forwards[port] { return forwarded }
        guard let mapping = mappings[port], mapping.expiry > now else { return nil }
        let isWelcome =
            switch behaviour.filtering {
            case .endpointIndependent: true
            case .addressDependent: mapping.peers.contains { $0.address == peer.address }
            case .addressAndPortDependent: mapping.peers.contains(peer)
            }
        return isWelcome ? mapping.key.inside : nil
    }

    private func livePort(_ key: Key, _ now: Int64) -> Int? {
        guard let port = ports[key], let mapping = mappings[port] else { return nil }
        if mapping.expiry > now { return port }
        ports[key] = nil
        mappings[port] = nil
        return nil
    }

    /// Takes the next port that nobody uses any more.
    private func openPort(_ key: Key, _ now: Int64) -> Int? {
        for _ in Self.publicPorts {
            let port = nextPort
            nextPort = port == Self.publicPorts.upperBound ? Self.publicPorts.lowerBound : port + 1
            if forwards[port] != nil { continue }
            if let old = mappings[port] {
                if old.expiry > now { continue }
                ports[old.key] = nil
            }
            ports[key] = port
            mappings[port] = Mapping(key: key, expiry: 0, peers: [])
            return port
        }
        return nil
    }

    // MARK: Streams

    /// The endpoint inside to which a forwarded port leads.
    func forwarded(_ port: Int) -> Endpoint? { forwards[port] }
}
