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

    init(from: String, to: String, conditions: LinkConditions, simulation: Simulation) {
        self.from = from
        self.to = to
        self.conditions = conditions
        self.simulation = simulation
        label = "\(from) \(to)"
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

    // MARK: Draws

    /// Nanoseconds until a segment arrives, with what its losses cost; `nil` when it never does.
    func segmentDelay(bytes: Int, now: Int64, retransmission: Int64, timing: StreamTiming) -> Int64? {
        var delay = queueing(bytes, now) + conditions.latency.sample(&streamEntropy)
        var wait = retransmission
        var waited: Int64 = 0
        while streamEntropy.happens(conditions.loss) {
            statistics.retransmissions += 1
            waited += wait
            if waited >= timing.userTimeout.nanoseconds { return nil }
            wait = min(wait * 2, timing.longestRetransmission.nanoseconds)
        }
        delay += waited
        return delay
    }

    /// Nanoseconds until an acknowledgement or a reset arrives; these are not lost.
    func controlDelay() -> Int64 { conditions.latency.sample(&controlEntropy) }

    /// Nanoseconds until a datagram arrives; `nil` when it is lost.
    func datagramDelay(bytes: Int, now: Int64) -> Int64? {
        let delay = queueing(bytes, now) + conditions.latency.sample(&datagramEntropy)
        let isLost = datagramEntropy.happens(conditions.loss)
        return isLost || conditions.isPartitioned ? nil : delay
    }

    private func queueing(_ bytes: Int, _ now: Int64) -> Int64 {
        guard let bandwidth = conditions.bandwidth else { return 0 }
        let sending = Double(bytes) / Double(max(1, bandwidth)) * 1e9
        freeAt = max(freeAt, now) + Int64(min(sending, Double(LatencyDistribution.longest)))
        return freeAt - now
    }

    // MARK: Trace

    /// Notes the arrival of one message: from, to, type, bytes, and nanoseconds on the way.
    func noteArrival(_ type: String, bytes: Int, age: Int64) {
        statistics.delivered += 1
        simulation.note("message", "\(label) \(type) \(bytes) \(age)")
    }

    /// Notes a fault of this link.
    func noteFault(_ what: String) { simulation.note("fault", "\(what) \(label)") }

    private func noteChange(from before: LinkConditions) {
        precondition((0...1).contains(conditions.loss), "loss is a probability from 0 to 1")
        precondition((conditions.bandwidth ?? 1) > 0, "bandwidth is more than 0 bytes a second")
        if conditions.isPartitioned != before.isPartitioned {
            noteFault(conditions.isPartitioned ? "partition" : "heal")
        }
        var others = before
        others.isPartitioned = conditions.isPartitioned
        if others != conditions { noteFault("conditions") }
    }
}
