public import Transport

extension LiveTransport {
    /// Binds a datagram socket; see `Transport.DatagramNetwork`.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        if channels.isClosed {
            throw TransportError(
                .closed,
                operation: "bind datagram socket",
                peer: "\(address)",
                detail: "shut down"
            )
        }
        let socket = try await DatagramBinding(address, options).bind(on: group)
        channels.insert(socket.channel)
        return socket
    }

    /// Finds the addresses of a host by the system's resolver; see `Transport.DatagramNetwork`.
    public func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await address.resolved()
    }

    /// The interfaces of this host.
    public func interfaces() async throws(TransportError) -> [NetworkInterface] {
        try InterfaceNames.all()
    }
}
