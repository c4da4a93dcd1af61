import Foundation
public import Simulation

/// What may go wrong in a world: what a drawn plan chooses from.
public struct FaultSpace: Sendable, Hashable {
    /// Hosts of the network.
    public var hosts: [String]
    /// Nodes that may crash, lose their power or stand still; their programs must be able to start again.
    public var mortalNodes: [String]
    /// Nodes whose wall clocks may be wrong.
    public var clocks: [String]
    /// Nodes with disks.
    public var disks: [String]
    /// Fault points of the product code.
    public var points: [String]
    /// Fault points of the services.
    public var peers: [PeerPoint]
    /// Within what time events happen, in seconds.
    public var seconds: Double

    /// Makes a space; what is left out does not go wrong.
    public init(
        hosts: [String] = [],
        mortalNodes: [String] = [],
        clocks: [String] = [],
        disks: [String] = [],
        points: [String] = [],
        peers: [PeerPoint] = [],
        seconds: Double
    ) {
        precondition(seconds > 0, "events need some time to happen in")
        self.hosts = hosts
        self.mortalNodes = mortalNodes
        self.clocks = clocks
        self.disks = disks
        self.points = points
        self.peers = peers
        self.seconds = seconds
    }
}

extension FaultPlan {
    /// Draws a plan in which each kind of fault is either likely or absent.
    ///
    /// Runs in which some kinds are missing altogether find what runs with a little of everything do not, since faults
    /// hide each other (Groce, Zhang, Eide, Chen, Regehr: Swarm Testing, 2012).
    public static func drawn(over space: FaultSpace, from entropy: inout EntropyStream) -> FaultPlan {
        var plan = FaultPlan()
        var draw = Draw(entropy: entropy)
        if space.hosts.count > 1 {
            var link = Link(from: "*", to: "*")
            link.loss = draw.probability()
            link.duplication = draw.probability()
            link.reordering = draw.probability()
            link.linkStalls = draw.probability(parts: 4)
            link.resets = draw.probability(parts: 10)
            link.stalls = draw.probability(parts: 100)
            if draw.coin() {
                link.latency = Span(min: 0.001, max: Double(1 + draw.number(below: 1000)) / 1000)
            }
            if draw.coin() {
                // From a bad mobile connection to a good one.
                link.bandwidth = [16_000, 64_000, 250_000, 1_000_000][draw.number(below: 4)]
                // From a few packets to a router that hoards half a minute of the slowest.
                if draw.coin() { link.queueBytes = [8_000, 64_000, 500_000][draw.number(below: 3)] }
            }
            plan.links = [link]
            plan.nameFailure = draw.probability() ?? 0
        }
        if !space.disks.isEmpty {
            // Those that a cautious program must survive; ignored syncs and bit flips are for plans by hand.
            let kinds = [
                "read error", "write error", "sync error", "no space", "slow sync", "lost write",
                "torn write", "lost entry",
            ]
            var faults: [String: Double] = [:]
            for kind in kinds { faults[kind] = draw.probability() }
            if !faults.isEmpty { plan.disks = [Disk(node: "*", faults: faults)] }
        }
        for name in space.points {
            if let value = draw.probability() { plan.points.append(Point(name: name, probability: value)) }
        }
        for point in space.peers {
            guard let value = draw.probability(parts: 4) else { continue }
            var peer = Peer(point.name, probability: value)
            for (name, range) in point.values.sorted(by: { $0.key < $1.key }) where draw.coin() {
                peer.values = (peer.values ?? [:]).merging([name: draw.within(range)]) { $1 }
            }
            plan.peers.append(peer)
        }
        let actions = space.actions.filter { _ in draw.coin() }
        if !actions.isEmpty {
            for _ in 0..<draw.number(below: 5) {
                plan.events.append(space.event(actions[draw.number(below: actions.count)], &draw))
            }
        }
        plan.events.sort { $0.at < $1.at }
        entropy = draw.entropy
        return plan
    }

    /// The plan that the current run was given: written, or drawn where it says `swarm`; `nil` for none.
    ///
    /// - Throws: ``FaultPlanError``.
    /// - Precondition: A simulation is current.
    public static func ofThisRun(over space: FaultSpace) throws(FaultPlanError) -> FaultPlan? {
        guard let simulation = Simulation.current else { preconditionFailure("no simulation is current") }
        guard let text = simulation.configuration.plan else { return nil }
        guard text == "swarm" else { return try FaultPlan(text: text) }
        var entropy = simulation.entropy("plan")
        return drawn(over: space, from: &entropy)
    }
}

/// Draws numbers.
struct Draw {
    var entropy: EntropyStream

    mutating func coin() -> Bool { entropy.next() & 1 == 0 }
    mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &entropy) }
    /// In milliseconds, so that a plan is pleasant to read.
    mutating func upTo(_ most: Double) -> Double { Double(number(below: Int(most * 1000) + 1)) / 1000 }
    /// A number of a range, with three decimals; each order of magnitude above its least alike.
    mutating func within(_ range: ClosedRange<Double>) -> Double {
        let share = pow(10, -3 * Double(number(below: 1001)) / 1000)
        let value = range.lowerBound + (range.upperBound - range.lowerBound) * share
        return min(max((value * 1000).rounded() / 1000, range.lowerBound), range.upperBound)
    }
    /// For half of the kinds none; for the others from 0.5 % to 30 % of a whole, each order of magnitude alike.
    mutating func probability(parts: Int = 1) -> Double? {
        guard coin() else { return nil }
        let perMille = [5, 10, 20, 50, 100, 200, 300]
        return Double(perMille[number(below: perMille.count)]) / Double(1000 * parts)
    }
}

extension FaultSpace {
    fileprivate var actions: [FaultPlan.Action] {
        var actions: [FaultPlan.Action] = []
        if hosts.count > 1 { actions += [.partition, .oneWay, .isolate, .halves, .reset, .forget, .stall] }
        if !mortalNodes.isEmpty { actions += [.crash, .pause, .powerOff] }
        if !clocks.isEmpty { actions += [.clockStep, .clockDrift] }
        return actions
    }

    fileprivate func event(_ action: FaultPlan.Action, _ draw: inout Draw) -> FaultPlan.Event {
        var event = FaultPlan.Event(at: draw.upTo(seconds), action, duration: draw.upTo(seconds / 2))
        switch action {
        case .crash, .pause, .powerOff: event.on = [mortalNodes[draw.number(below: mortalNodes.count)]]
        case .clockStep, .clockDrift:
            event.on = [clocks[draw.number(below: clocks.count)]]
            event.amount =
                action == .clockStep
                ? Double(draw.number(below: 7201) - 3600) : Double(draw.number(below: 2001) - 1000) / 100_000
        case .halves, .heal: break
        case .isolate: event.on = [hosts[draw.number(below: hosts.count)]]
        case .partition, .oneWay, .reset, .forget, .stall:
            let first = draw.number(below: hosts.count)
            let second = (first + 1 + draw.number(below: hosts.count - 1)) % hosts.count
            event.on = [hosts[first], hosts[second]]
        }
        return event
    }
}
