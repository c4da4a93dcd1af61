public import Transport

extension SimulatedHost {
    /// Starts serving on this host; its tasks run on the host's node.
    ///
    /// - Parameters:
    ///   - server: Answers requests and handshakes.
    ///   - address: One of this host's addresses, or `0.0.0.0` or `::` for all, also those that it gets later; or its name or an alias,
    ///     which mean its first address. A loopback address is reached from this host alone. Port 0 chooses a free one.
    /// - Throws: `addressUnavailable`.
    public func listen(
        _ server: any Server,
        at address: SocketAddress
    ) async throws(TransportError) -> any Listener {
        let bound = try claim(address, operation: "listen") { listeners[$0.port] != nil }
        let listener = SimulatedListener(server, at: bound, on: self)
        listeners[bound.port] = listener
        return listener
    }
}
