import Transport

/// A datagram on its way.
struct Packet: Sendable {
    var bytes: [UInt8]
    var source: Endpoint
    var destination: Endpoint
    /// How many networks it may still pass.
    var timeToLive: Int
}
