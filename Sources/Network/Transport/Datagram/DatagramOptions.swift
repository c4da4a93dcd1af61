/// What a datagram socket may do, decided when it is bound.
public struct DatagramOptions: Sendable, Hashable {
    /// Whether datagrams may be sent to broadcast addresses.
    public var allowsBroadcast: Bool
    /// Whether other sockets that say the same may be bound to the same port, as mDNS needs (RFC 6762 section 15.1).
    ///
    /// Datagrams to a group or a broadcast address reach all of them; any other reaches the one that was bound last.
    public var sharesPort: Bool
    /// The interface through which datagrams to groups leave and on which groups are joined, such as `eth0`.
    ///
    /// `nil` leaves it to the system.
    public var multicastInterface: String?
    /// How many routers a datagram may pass, the destination included; `nil` for the system's default.
    ///
    /// The default of most systems is 64, and 1 for groups, which keeps them on the network on which they were sent.
    public var timeToLive: Int?
    /// The size of the receive buffer; see ``DatagramSocket`` for what happens when it is full.
    ///
    /// Systems have an upper limit, beyond which a size is cut (Linux: `net.core.rmem_max`). `nil` for the system's default.
    public var receiveBufferBytes: Int?

    /// Makes options; what is not said is as systems have it.
    public init(
        allowsBroadcast: Bool = false,
        sharesPort: Bool = false,
        multicastInterface: String? = nil,
        timeToLive: Int? = nil,
        receiveBufferBytes: Int? = nil
    ) {
        self.allowsBroadcast = allowsBroadcast
        self.sharesPort = sharesPort
        self.multicastInterface = multicastInterface
        self.timeToLive = timeToLive
        self.receiveBufferBytes = receiveBufferBytes
    }

    /// Options of a socket for multicast DNS on one interface, or on the one that the system chooses.
    public static func multicastDNS(interface: String? = nil) -> DatagramOptions {
        // RFC 6762 section 11: everything is sent with 255.
        DatagramOptions(sharesPort: true, multicastInterface: interface, timeToLive: 255)
    }
}
