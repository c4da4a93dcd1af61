public import Transport

extension SimulatedHost {
    /// Binds a datagram socket on this host.
    ///
    /// - Parameters:
    ///   - address: As for a listener; also a multicast group or a broadcast address of one of the host's subnets.
    ///   - options: What the socket may do.
    /// - Throws: `addressUnavailable`, `cancelled`.
    public func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        if Task.isCancelled {
            throw TransportError(.cancelled, operation: "bind", peer: "\(address)")
        }
        if let interface = options.multicastInterface, !hasInterface(interface) {
            let detail = "no interface is called \(interface)"
            throw TransportError(.addressUnavailable, operation: "bind", peer: "\(address)", detail: detail)
        }
        let bound = try claim(address, operation: "bind", takesGroups: true) { endpoint in
            sockets[endpoint.port]?.contains { $0.excludes(endpoint.address, options) } ?? false
        }
        let socket = SimulatedDatagramSocket(bound, options, on: self)
        sockets[bound.port, default: []].append(socket)
        return socket
    }

    func hasInterface(_ name: String) -> Bool {
        name == SimulatedInterface.loopbackName || active.contains { $0.name == name }
    }

    func forget(_ socket: SimulatedDatagramSocket) {
        let port = socket.localAddress.port
        sockets[port]?.removeAll { $0 === socket }
        if sockets[port]?.isEmpty == true { sockets[port] = nil }
    }
}
