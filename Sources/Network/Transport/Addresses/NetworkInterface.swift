/// A host's connection to a network, as it was when asked.
public struct NetworkInterface: Sendable, Hashable {
    /// An address of the interface, and the network in which it lies.
    public struct Address: Sendable, Hashable {
        /// The host's own address.
        public var address: IPAddress
        /// Who is reached directly.
        public var subnet: IPSubnet

        /// Makes a value of its parts.
        public init(_ address: IPAddress, in subnet: IPSubnet) {
            self.address = address
            self.subnet = subnet
        }
    }

    /// Its name on the host, such as `eth0`.
    public var name: String
    /// Its number on the host.
    public var index: Int
    /// Its addresses.
    public var addresses: [Address]

    /// Makes a value of its parts.
    public init(name: String, index: Int, addresses: [Address]) {
        self.name = name
        self.index = index
        self.addresses = addresses
    }

    /// Whether only the host itself is reached by it.
    public var isLoopback: Bool { addresses.contains { $0.address.isLoopback } }

    /// Where a datagram reaches every host on its networks.
    public var broadcastAddresses: [IPAddress] { isLoopback ? [] : addresses.compactMap(\.subnet.broadcast) }
}
