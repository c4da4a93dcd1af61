/// A datagram that has arrived.
public struct Datagram: Sendable, Hashable {
    /// The most bytes that one carries over IPv4: 65,535 less 20 for IP (RFC 791) and 8 for UDP (RFC 768).
    package static let mostBytes = 65_507

    /// What it carries; may be empty.
    public var bytes: [UInt8]
    /// Who sent it, and where an answer goes.
    public var source: Endpoint
    /// The address to which it was sent: one of the host's, a group's or a broadcast address; `nil` when unknown.
    public var destination: IPAddress?
    /// The interface on which it came, such as `eth0`; `nil` when unknown.
    public var interface: String?

    /// Makes a value of its parts.
    public init(
        bytes: [UInt8],
        source: Endpoint,
        destination: IPAddress? = nil,
        interface: String? = nil
    ) {
        self.bytes = bytes
        self.source = source
        self.destination = destination
        self.interface = interface
    }
}
