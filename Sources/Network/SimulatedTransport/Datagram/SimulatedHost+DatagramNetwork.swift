public import Transport

extension SimulatedHost {
    /// Binds a datagram socket on this host.
    ///
    /// Several sockets cannot share a port, not even for multicast.
    ///
    /// - Parameter address: As for a listener.
    /// - Throws: `addressUnavailable`, `cancelled`.
    public func bind(_ address: SocketAddress) async throws(TransportError) -> any DatagramSocket {
        if Task.isCancelled {
            throw TransportError(.cancelled, operation: "bind", peer: "\(address)")
        }
        let bound = try claim(address, operation: "bind") { sockets[$0] != nil }
        let socket = SimulatedDatagramSocket(bound, on: self)
        sockets[bound.port] = socket
        return socket
    }
}
