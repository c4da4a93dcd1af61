/// Both directions between two hosts; what is set is set for both.
public struct SimulatedLinkPair: Sendable {
    /// From the first host to the second.
    public let forth: SimulatedLink
    /// From the second host to the first.
    public let back: SimulatedLink

    /// What the link does to traffic; reads the way forth.
    public var conditions: LinkConditions {
        get { forth.conditions }
        nonmutating set {
            forth.conditions = newValue
            back.conditions = newValue
        }
    }

    /// How long each message is on its way; reads the way forth.
    public var latency: LatencyDistribution {
        get { forth.latency }
        nonmutating set {
            forth.latency = newValue
            back.latency = newValue
        }
    }

    /// The probability, 0…1, that a packet is lost; reads the way forth.
    public var loss: Double {
        get { forth.loss }
        nonmutating set {
            forth.loss = newValue
            back.loss = newValue
        }
    }

    /// Bytes per second each way, or `nil` for no limit; reads the way forth.
    public var bandwidth: Int? {
        get { forth.bandwidth }
        nonmutating set {
            forth.bandwidth = newValue
            back.bandwidth = newValue
        }
    }

    /// Whether nothing gets through in at least one direction; setting it sets both.
    public var isPartitioned: Bool {
        get { forth.isPartitioned || back.isPartitioned }
        nonmutating set {
            forth.isPartitioned = newValue
            back.isPartitioned = newValue
        }
    }

    /// What has travelled in both directions.
    public var statistics: TrafficStatistics { forth.statistics + back.statistics }
}
