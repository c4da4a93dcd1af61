import Simulation

/// The sources of one link's faults; each is made at its first use.
struct LinkFaults {
    private let label: String
    // The simulation holds the network, and that its links.
    private unowned let simulation: Simulation
    private lazy var loss = simulation.faultSource("loss \(label)")
    private lazy var lostDatagram = simulation.faultSource("lost datagram \(label)")
    private lazy var duplication = simulation.faultSource("duplicate \(label)")
    private lazy var reordering = simulation.faultSource("reorder \(label)")
    private lazy var linkStall = simulation.faultSource("link stall \(label)")
    private lazy var reset = simulation.faultSource("reset \(label)")
    private lazy var stall = simulation.faultSource("stall \(label)")

    init(label: String, simulation: Simulation) {
        self.label = label
        self.simulation = simulation
    }

    mutating func losesSegment(_ conditions: LinkConditions) -> Bool {
        loss.fires(probability: conditions.loss) != nil
    }

    /// Whether one of a datagram's fragments is lost.
    mutating func losesDatagram(fragments: Int, _ conditions: LinkConditions) -> Bool {
        for _ in 0..<fragments where lostDatagram.fires(probability: conditions.loss) != nil { return true }
        return false
    }

    mutating func duplicates(_ conditions: LinkConditions) -> FaultChance? {
        duplication.fires(probability: conditions.duplication)
    }

    /// Nanoseconds for which a datagram is held back.
    mutating func holdsBack(_ conditions: LinkConditions) -> Int64 {
        guard var chance = reordering.fires(probability: conditions.reordering) else { return 0 }
        return LatencyDistribution.uniform(.zero...conditions.reorderingDelay).sample(&chance)
    }

    /// Nanoseconds for which the link stands still from now on.
    mutating func stallsLink(_ conditions: LinkConditions) -> Int64 {
        guard var chance = linkStall.fires(probability: conditions.linkStalls) else { return 0 }
        return LatencyDistribution.exponential(mean: conditions.linkStallTime).sample(&chance)
    }

    mutating func resets(_ conditions: LinkConditions) -> Bool {
        reset.fires(probability: conditions.resets) != nil
    }

    mutating func stalls(_ conditions: LinkConditions) -> Bool {
        stall.fires(probability: conditions.stalls) != nil
    }
}
