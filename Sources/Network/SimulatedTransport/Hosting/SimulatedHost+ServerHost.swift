public import Transport

extension SimulatedHost {
    /// Starts serving on this host; its tasks run on the host's node.
    ///
    /// - Parameters:
    ///   - server: Answers requests and handshakes.
    ///   - address: This host's name or an alias; `0.0.0.0` or `::` mean the name. A loopback name is reached from
    ///     this host alone. Port 0 chooses a free one.
    /// - Throws: `addressUnavailable`.
    public func listen(
        _ server: any Server,
        at address: SocketAddress
    ) async throws(TransportError) -> any Listener {
        let bound = try claim(address, operation: "listen") { listeners[$0] != nil }
        let listener = SimulatedListener(server, at: bound, on: self)
        listeners[bound.port] = listener
        return listener
    }
}
