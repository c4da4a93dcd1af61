import NIOPosix
public import Transport

extension LoopbackHost {
    /// Binds a datagram socket; see `Transport.DatagramNetwork`.
    ///
    /// Without `allowRemote`, at a loopback address, or at a multicast group with a loopback interface in the options.
    ///
    /// - Throws: `addressUnavailable`, `cancelled`.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        let known = try InterfaceNames.all().first { $0.name == options.multicastInterface }
        return try await DatagramBinding(address, options).bind(on: MultiThreadedEventLoopGroup.singleton) {
            allowRemote || $0.address.isLoopback || ($0.address.isMulticast && known?.isLoopback == true)
        }
    }

    /// Finds the addresses of a host by the system's resolver.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await address.resolved()
    }

    /// The interfaces of this host, those that only it reaches alone unless remote addresses are allowed.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        try InterfaceNames.all().filter { allowRemote || $0.isLoopback }
    }
}
