/// What one direction of a link does to traffic.
public struct LinkConditions: Sendable, Hashable {
    /// How long each message is on its way.
    public var latency: LatencyDistribution
    /// The probability, 0…1, that a packet is lost.
    ///
    /// A lost datagram never arrives. A lost segment of a stream arrives after retransmission timeouts, which
    /// ``StreamTiming`` gives; when they add up to its user timeout, the stream breaks.
    public var loss: Double
    /// Bytes per second, or `nil` for no limit; what exceeds it queues without bound.
    public var bandwidth: Int?
    /// Whether nothing gets through at all.
    public var isPartitioned: Bool

    /// Conditions of a near and faultless link.
    ///
    /// - Parameters:
    ///   - latency: How long each message is on its way.
    ///   - loss: The probability, 0…1, that a packet is lost.
    ///   - bandwidth: Bytes per second, more than 0, or `nil` for no limit.
    public init(
        latency: LatencyDistribution = .constant(.milliseconds(1)),
        loss: Double = 0,
        bandwidth: Int? = nil
    ) {
        self.latency = latency
        self.loss = loss
        self.bandwidth = bandwidth
        isPartitioned = false
    }
}
