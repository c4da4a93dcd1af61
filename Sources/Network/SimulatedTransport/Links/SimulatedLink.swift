import Simulation

/// One direction between two hosts.
///
/// Its properties may be changed at any time; what is already on its way keeps its time, except that nothing
/// passes a partition.
public final class SimulatedLink: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// The name of the sending host.
    public let from: String
    /// The name of the receiving host.
    public let to: String
    /// What the link does to traffic.
    public var conditions: LinkConditions {
        didSet {
            if conditions != oldValue { noteChange(from: oldValue) }
        }
    }
    /// What has travelled so far.
    public internal(set) var statistics = TrafficStatistics()

    /// Both names, as traces have them.
    let label: String
    private unowned let simulation: Simulation
    // One stream of chance for each use, so that more of one does not shift another.
    private var streamEntropy: EntropyStream
    private var datagramEntropy: EntropyStream
    private var controlEntropy: EntropyStream
    /// When the last byte before has left, where bandwidth is limited.
    private var freeAt: Int64 = 0
    /// When the link moves again after a stall.
    private var stallEnd: Int64 = 0
    private var faults: LinkFaults

    init(from: String, to: String, conditions: LinkConditions, simulation: Simulation) {
        self.from = from
        self.to = to
        self.conditions = conditions
        self.simulation = simulation
        label = "\(from) \(to)"
        faults = LinkFaults(label: label, simulation: simulation)
        streamEntropy = simulation.entropy("network/\(from)>\(to)/stream")
        datagramEntropy = simulation.entropy("network/\(from)>\(to)/datagram")
        controlEntropy = simulation.entropy("network/\(from)>\(to)/control")
    }

    /// How long each message is on its way.
    public var latency: LatencyDistribution {
        get { conditions.latency }
        set { conditions.latency = newValue }
    }

    /// The probability, 0…1, that a packet is lost.
    public var loss: Double {
        get { conditions.loss }
        set { conditions.loss = newValue }
    }

    /// Bytes per second, or `nil` for no limit.
    public var bandwidth: Int? {
        get { conditions.bandwidth }
        set { conditions.bandwidth = newValue }
    }

    /// Whether nothing gets through at all.
    public var isPartitioned: Bool {
        get { conditions.isPartitioned }
        set { conditions.isPartitioned = newValue }
    }

    /// How long what was sent so far takes to leave, where bandwidth is limited.
    ///
    /// That of a stream which has broken since counts, too: a real sender would forget what it had not sent yet.
    public var backlog: Duration {
        conditions.bandwidth == nil ? .zero : .nanoseconds(max(0, freeAt - simulation.now.nanoseconds))
    }

    // MARK: Draws

    /// Nanoseconds until a segment arrives, with what its losses cost; `nil` when it never does.
    func segmentDelay(bytes: Int, now: Int64, retransmission: Int64, timing: StreamTiming) -> Int64? {
        let queueing = queueing(bytes, now)
        let delay = stallTime(now) + (queueing ?? 0) + conditions.latency.sample(&streamEntropy)
        var wait = retransmission
        var waited: Int64 = 0
        // What found the queue full is sent again like what was lost.
        var isLost = faults.losesSegment(conditions) || queueing == nil
        while isLost {
            statistics.retransmissions += 1
            waited += wait
            if waited >= timing.userTimeout.nanoseconds { return nil }
            wait = min(wait * 2, timing.longestRetransmission.nanoseconds)
            isLost = faults.losesSegment(conditions)
        }
        return faults.stalls(conditions) ? nil : delay + waited
    }

    /// Whether a stream breaks at the segment that is sent now.
    func breaksStream() -> Bool { faults.resets(conditions) }

    /// Nanoseconds until an acknowledgement or a reset arrives; these are not lost.
    func controlDelay() -> Int64 { conditions.latency.sample(&controlEntropy) }

    /// Nanoseconds until each copy of a datagram arrives; none when it is lost, two when it is duplicated.
    func datagramDelays(bytes: Int, fragments: Int, now: Int64) -> [Int64] {
        let queueing = queueing(bytes, now)
        let held = stallTime(now) + (queueing ?? 0) + faults.holdsBack(conditions)
        var delays = [held + conditions.latency.sample(&datagramEntropy)]
        if var chance = faults.duplicates(conditions) {
            delays.append(held + conditions.latency.sample(&chance))
        }
        let isLost = faults.losesDatagram(fragments: fragments, conditions)
        return isLost || queueing == nil || conditions.isPartitioned ? [] : delays
    }

    /// Nanoseconds until the message has left; `nil` when the queue has no room for it.
    private func queueing(_ bytes: Int, _ now: Int64) -> Int64? {
        guard let bandwidth = conditions.bandwidth else { return 0 }
        if let limit = conditions.queueBytes {
            let queued = Double(max(0, freeAt - now)) / 1e9 * Double(bandwidth)
            if queued + Double(bytes) > Double(limit) { return nil }
        }
        let sending = Double(bytes) / Double(max(1, bandwidth)) * 1e9
        freeAt = max(freeAt, now) + Int64(min(sending, Double(LatencyDistribution.longest)))
        return freeAt - now
    }

    // MARK: Stalls

    /// Nanoseconds until the link moves again; 0 while it does.
    private func stallTime(_ now: Int64) -> Int64 {
        let time = faults.stallsLink(conditions)
        if time > 0 { stallEnd = max(stallEnd, now + time) }
        return max(0, stallEnd - now)
    }

    func stall(for time: Duration) {
        noteFault("link stall")
        stallEnd = max(stallEnd, simulation.now.nanoseconds + time.nanoseconds)
    }

    /// What is on its way already keeps its time.
    func endStall() { stallEnd = 0 }

    // MARK: Trace

    /// Notes the arrival of one message: from, to, type, bytes, and nanoseconds on the way.
    func noteArrival(_ type: String, bytes: Int, age: Int64) {
        statistics.delivered += 1
        simulation.note("message", "\(label) \(type) \(bytes) \(age)")
    }

    /// Notes a fault of this link.
    func noteFault(_ what: String) { simulation.note("fault", "\(what) \(label)") }

    private func noteChange(from before: LinkConditions) {
        precondition(
            conditions.isValid,
            "probabilities are from 0 to 1, times and limits not negative, bandwidth is more than 0, packets at least 576"
        )
        if conditions.isPartitioned != before.isPartitioned {
            noteFault(conditions.isPartitioned ? "partition" : "heal")
        }
        var others = before
        others.isPartitioned = conditions.isPartitioned
        if others != conditions { noteFault("conditions") }
    }
}
