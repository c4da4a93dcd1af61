/// What has travelled, and what became of it.
public struct TrafficStatistics: Sendable, Hashable {
    /// Messages sent: datagrams, HTTP heads and body chunks, WebSocket messages and control frames.
    public var messages = 0
    /// Payload bytes sent; heads and control frames count as 0.
    public var bytes = 0
    /// Messages that arrived at the other host.
    public var delivered = 0
    /// Datagrams lost by chance, by a partition, or by a full receive buffer.
    public var lostDatagrams = 0
    /// Segments of streams that had to be sent again because of loss.
    public var retransmissions = 0
    /// Messages of streams that were on their way when their connection broke.
    public var droppedInFlight = 0

    /// Nothing so far.
    public init() {}

    /// Adds everything.
    public static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.messages += other.messages
        sum.bytes += other.bytes
        sum.delivered += other.delivered
        sum.lostDatagrams += other.lostDatagrams
        sum.retransmissions += other.retransmissions
        sum.droppedInFlight += other.droppedInFlight
        return sum
    }
}
