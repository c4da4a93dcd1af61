import Transport

/// What one direction of a link does to traffic.
///
/// Probabilities are from 0 to 1 and meant for each message. Whether a fault happens is decided by a fault source of the
/// link and the kind of fault, such as `loss phone gemini`, so that it can be listed, repeated and left out.
public struct LinkConditions: Sendable, Hashable {
    /// How long each message is on its way.
    public var latency: LatencyDistribution
    /// The probability that a packet is lost.
    ///
    /// A lost datagram never arrives. A lost segment of a stream arrives after retransmission timeouts, which
    /// ``StreamTiming`` gives; when they add up to its user timeout, the stream breaks.
    public var loss: Double
    /// The probability that a datagram arrives twice, each after a latency of its own; streams never duplicate anything.
    public var duplication = 0.0
    /// The probability that a datagram is overtaken by those after it; streams always keep their order.
    public var reordering = 0.0
    /// How long an overtaken datagram is held back at most.
    public var reorderingDelay = Duration.milliseconds(50)
    /// The probability that the link stalls at a message: nothing arrives for a while, then everything does, in order.
    public var linkStalls = 0.0
    /// How long a stall of the link lasts on average; times are exponentially distributed.
    public var linkStallTime = Duration.seconds(1)
    /// The probability that a stream breaks at a message: what is on its way is lost, and both sides learn of it.
    public var resets = 0.0
    /// The probability that one stream stalls for good at a message, without an error: the sender gives up
    /// after its user timeout, and a reader waits until its own.
    public var stalls = 0.0
    /// Bytes per second, or `nil` for no limit; what exceeds it queues.
    public var bandwidth: Int?
    /// Bytes that wait for bandwidth at most, or `nil` for no limit; what exceeds it is lost.
    public var queueBytes: Int?
    /// The most bytes of a packet with its headers, at least 576; what a datagram has beyond goes into further fragments.
    ///
    /// Each fragment may be lost, and the datagram with it. Ethernet and most of Wi-Fi have 1,500.
    public var packetBytes = 1500
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

    var isValid: Bool {
        [loss, duplication, reordering, linkStalls, resets, stalls].allSatisfy { (0...1).contains($0) }
            && (bandwidth ?? 1) > 0 && (queueBytes ?? 0) >= 0 && reorderingDelay >= .zero
            && linkStallTime >= .zero && packetBytes >= 576
    }

    /// How many packets a datagram makes.
    func fragments(payload: Int, version: IPAddress.Version) -> Int {
        let udpBytes = payload + 8
        // RFC 791 section 3.1; RFC 8200 section 4.5 adds a header of 8 bytes to the 40 that each packet has.
        let (header, fragmentHeader) = version == .v4 ? (20, 20) : (40, 48)
        if udpBytes + header <= packetBytes { return 1 }
        // Fragments but the last have multiples of eight bytes.
        let room = (packetBytes - fragmentHeader) & ~7
        return (udpBytes + room - 1) / room
    }
}
