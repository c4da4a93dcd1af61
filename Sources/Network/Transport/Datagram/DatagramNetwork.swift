/// Makes datagram sockets, and knows the host's addresses and names.
public protocol DatagramNetwork: Sendable {
    /// Binds a socket; port 0 chooses a free one.
    ///
    /// - Parameters:
    ///   - address: One of the host's, or all of them; a multicast group or a broadcast address, for a socket that
    ///     receives only what is sent there; or a name of the host.
    ///   - options: What the socket may do.
    /// - Throws: `addressUnavailable` when the address is taken or not this host's, or an option cannot be had; `cancelled`.
    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket

    /// Finds the addresses of a host; a literal address is its own.
    ///
    /// - Returns: At least one endpoint with the port that was asked for, the preferred first.
    /// - Throws: `unreachable` when the name is not found, `cancelled`.
    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint]

    /// The host's interfaces that have an address, by index, loopback included.
    ///
    /// - Throws: `unreachable` when the system does not tell.
    func interfaces() async throws(TransportError) -> [NetworkInterface]
}

extension DatagramNetwork {
    /// Binds a socket with the default options.
    ///
    /// - Throws: As ``bind(_:options:)``.
    public func bind(_ address: SocketAddress) async throws(TransportError) -> any DatagramSocket {
        try await bind(address, options: DatagramOptions())
    }
}
