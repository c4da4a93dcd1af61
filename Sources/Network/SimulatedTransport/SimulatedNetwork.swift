import Simulation
public import Transport

/// The network of one simulation: hosts with names, and links between them that may be slow, lossy or cut.
///
/// What it models:
/// - One host for each `Node` that asks for one. Names are host names or aliases, in any case; `localhost`,
///   `127.0.0.1` and `::1` are the host itself. Ports are as everywhere; `http`/`ws` mean 80, `https`/`wss` 443.
/// - IPv4 and IPv6 addresses on subnets, given or drawn in order. Names lead to the addresses that a host has at the time,
///   or to what ``NameServiceConditions/records`` says; an address can be dialled like a name, and one that nobody has answers nothing. A
///   client tries all addresses of a name at once, and takes one at which somebody listens. Hosts change subnets and go into
///   airplane mode; connections of an address that is gone stall until it comes back, or break at once.
/// - NATs between a subnet and the rest, with mappings, filters and timeouts (``NATBehaviour``).
/// - Streams at the level of messages: HTTP heads and body chunks, WebSocket messages and control frames. Each
///   message has a latency of its own and never overtakes one before it. A connection costs a round trip to open.
/// - HTTP connections that are kept for the next request to the same origin, and go stale: either side closes one that is idle
///   for long (``StreamTiming/clientIdleTimeout``, ``StreamTiming/serverIdleTimeout``), servers restart, NATs forget. A request that
///   meets a connection which the server has closed is sent again on a new one, by the rule that `HTTPClient` states.
/// - Bounded windows in both directions: a slow reader holds back the writer, and the news that there is room
///   travels as long as anything else.
/// - Datagrams to one host, to all of a subnet by broadcast, or to a multicast group on a subnet, each with a latency of
///   its own, so that they overtake. One that is larger than the link's packets is lost when one of its fragments is. A
///   full receive buffer loses the newest.
/// - The behaviour of a TCP stack where it matters: retransmission with growing intervals, resets for connections
///   that a host has forgotten, and giving up after times that ``StreamTiming`` names with their sources.
///
/// Its faults, of each direction and changeable at any time (``LinkConditions``): latency, loss, duplicated and
/// overtaken datagrams, limits of bandwidth and of the queue before it, stalls of the link, streams that break or stall for
/// good at some message, partitions. Besides: partitions in the usual shapes, resets of all connections of two hosts, connections
/// that one host has forgotten, names that are not found or late (``NameServiceConditions``), silent ports, and crashes
/// of nodes. When a node crashes, its system closes its connections, which the other ends learn after one latency; when
/// it loses its power, or with ``SimulatedHost/crashKind`` `machine`, nothing is sent, and the other ends learn of it
/// when they send and time out, or when the machine is back and answers with a reset. A paused node receives nothing
/// until it goes on. Every fault is noted in the trace, and what chance decides goes through a fault source.
///
/// What it does not model: TLS (the schemes `https` and `wss` connect without certificates and without the round
/// trip of a TLS handshake), frames and packets below a message (a message arrives whole or not at all), congestion
/// control, acknowledgements lost on their way (a one-way partition lets data pass and stops only the news of room),
/// keep-alive probes of TCP, link-local addresses, routers other than NATs (a datagram passes one between two subnets), multicast beyond a subnet.
///
/// How it was compared with the real one: the cases of `TransportConformance` (order, framing of bodies, refusals,
/// closing codes, limits, pings, cancellation, datagrams) run on it and, unchanged, over loopback sockets with
/// `LiveTransport` and `LoopbackHost`. Times of retransmission and giving up are those that Linux documents, and were
/// not measured against a real stack; nor were the behaviour of partitions and of machines that are switched off.
///
/// All chance comes from streams of the simulation's entropy, one for each direction of a link and kind of traffic.
public final class SimulatedNetwork: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// What new links are like.
    public let defaults: LinkConditions
    let timing: StreamTiming
    let life: NetworkLife
    unowned let simulation: Simulation
    private var hosts: [SimulatedHost] = []
    private var hostIndices: [String: Int] = [:]
    private var links: [Route: SimulatedLink] = [:]
    private var connections: [Int: Connection] = [:]
    private var nextConnection = 0
    private var nameService: NameService
    /// How often a host has got or lost addresses; between two changes, what was found out of them holds.
    var addressChanges = 0
    /// The first is the one on which hosts are unless something else is said.
    var subnets: [SimulatedSubnet] = []
    /// Datagrams that no host has, or that a NAT did not let in.
    var strayDatagrams = 0

    /// The subnet on which hosts are unless something else is said: 10.0.0.0/16 and fd00::/64.
    public let lan: SimulatedSubnet
    private static let lanPrefixes = ["10.0.0.0/16", "fd00::/64"].compactMap { IPSubnet($0) }

    private struct Route: Hashable {
        var from: Int
        var to: Int
    }

    /// Makes a network without hosts, in the simulation that runs the calling code.
    ///
    /// - Parameters:
    ///   - defaults: What new links are like; a host's link to itself takes 10 µs.
    ///   - timing: How long hosts try before they give up.
    /// - Precondition: A simulation is current.
    public init(defaults: LinkConditions = LinkConditions(), timing: StreamTiming = StreamTiming()) {
        guard let simulation = Simulation.current else {
            preconditionFailure("a simulated network needs a simulation: make it inside one")
        }
        self.simulation = simulation
        life = NetworkLife(simulation)
        self.defaults = defaults
        self.timing = timing
        nameService = NameService(simulation)
        lan = SimulatedSubnet(name: "lan", prefixes: Self.lanPrefixes, nat: nil)
        subnets = [lan]
        // The test's own node never crashes: what it holds lives exactly as long as the simulation, so hosts and
        // connections need not own their network.
        simulation.node("test").onEnd { [self] in _ = self }
        simulation.onHeal { [unowned self] in heal() }
    }

    deinit { life.end() }

    // MARK: Hosts

    /// Returns the host of the node of that name, and makes it at the first call.
    ///
    /// - Parameters:
    ///   - name: The node's name; also the host's name in URLs.
    ///   - aliases: Further names, such as those of the real service, so that its URLs work unchanged.
    ///   - subnet: Where a host that is made now has its interface `eth0`; `nil` for ``lan``.
    ///   - addresses: Addresses of that subnet; none for the next ones that nobody has.
    @discardableResult
    public func host(
        _ name: String,
        aliases: [String] = [],
        on subnet: SimulatedSubnet? = nil,
        addresses: [IPAddress] = []
    ) -> SimulatedHost {
        let known = find(name)
        precondition(
            known == nil || (subnet == nil && addresses.isEmpty),
            "the host \(name) is on a subnet already"
        )
        let host = known ?? add(name, on: subnet ?? lan, addresses)
        for alias in aliases {
            let known = find(alias)
            precondition(known == nil || known === host, "the name \(alias) belongs to another host")
            hostIndices[alias.lowercased()] = host.index
        }
        return host
    }

    private func add(
        _ name: String,
        on subnet: SimulatedSubnet,
        _ addresses: [IPAddress]
    ) -> SimulatedHost {
        let host = SimulatedHost(name, index: hosts.count, node: simulation.node(name), network: self)
        hosts.append(host)
        hostIndices[name.lowercased()] = host.index
        host.attach("eth0", to: subnet, addresses: addresses)
        return host
    }

    /// The host of that name or alias.
    func find(_ name: String) -> SimulatedHost? { hostIndices[name.lowercased()].map { hosts[$0] } }

    func existing(_ name: String) -> SimulatedHost {
        guard let host = find(name) else { preconditionFailure("the network has no host called “\(name)”") }
        return host
    }

    // MARK: Links

    /// Both directions between two hosts.
    ///
    /// - Precondition: Both hosts exist.
    public subscript(one: String, other: String) -> SimulatedLinkPair {
        SimulatedLinkPair(forth: link(from: one, to: other), back: link(from: other, to: one))
    }

    /// One direction between two hosts.
    ///
    /// - Precondition: Both hosts exist.
    public func link(from: String, to: String) -> SimulatedLink { link(existing(from), existing(to)) }

    func link(_ from: SimulatedHost, _ to: SimulatedHost) -> SimulatedLink {
        let route = Route(from: from.index, to: to.index)
        if let known = links[route] { return known }
        let conditions = from === to ? LinkConditions(latency: .constant(.microseconds(10))) : defaults
        let link = SimulatedLink(from: from.name, to: to.name, conditions: conditions, simulation: simulation)
        links[route] = link
        return link
    }

    /// What has travelled on all links.
    public var statistics: TrafficStatistics {
        var all = links.values.reduce(TrafficStatistics()) { $0 + $1.statistics }
        all.lostDatagrams += strayDatagrams
        return all
    }

    /// Messages of streams that were on their way when their connection broke.
    public var droppedInFlight: Int { statistics.droppedInFlight }

    // MARK: Faults

    /// How names are found.
    public var names: NameServiceConditions {
        get { nameService.conditions }
        set {
            precondition((0...1).contains(newValue.failure), "a failure has a probability from 0 to 1")
            nameService.conditions = newValue
            let records = newValue.records.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            let noted = records.isEmpty ? "" : " \(records)"
            simulation.note("fault", "names \(newValue.failure) \(newValue.missing.sorted())\(noted)")
        }
    }

    /// Decides what a name leads to now.
    func lookUp(_ name: String) -> LookUp { nameService.lookUp(name, of: find(name)) }

    /// Whether there is such a name at all.
    func knows(_ name: String) -> Bool {
        find(name) != nil || nameService.conditions.records[name.lowercased()] != nil
    }

    /// Names of all hosts, in the order in which they were made.
    public var hostNames: [String] { hosts.map(\.name) }

    /// By their hosts.
    var allLinks: [SimulatedLink] {
        links.sorted { ($0.key.from, $0.key.to) < ($1.key.from, $1.key.to) }.map(\.value)
    }

    // MARK: Connections

    /// How many connections an end still knows of, kept ones among them.
    public var openConnectionCount: Int { connections.count }

    /// Oldest first.
    var openConnections: [Connection] { connections.sorted { $0.key < $1.key }.map(\.value) }

    func connect(_ client: SimulatedHost, _ server: SimulatedHost) -> Connection {
        nextConnection += 1
        let connection = Connection(number: nextConnection, client: client, server: server, network: self)
        connections[nextConnection] = connection
        return connection
    }

    func forget(_ connection: Connection) { connections[connection.number] = nil }

    func connection(_ number: Int) -> Connection? { connections[number] }

    func crashed(_ host: SimulatedHost, _ kind: CrashKind) {
        for connection in openConnections {
            for side in [Side.client, .server] where connection[side].host === host {
                connection.crashed(side, kind)
            }
        }
    }

    // MARK: Time

    /// Virtual time in nanoseconds.
    var now: Int64 { simulation.now.nanoseconds }

    /// The time after a timeout; never, when that is beyond what can be counted.
    func deadline(after timeout: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(max(0, timeout))
        return overflow ? .max : sum
    }

    func schedule(on node: Node, at time: Int64, _ event: @escaping @Sendable () -> Void) {
        node.asCurrent { simulation.schedule(after: .nanoseconds(time - now), event) }
    }
}
