/// Where servers are hosted and reached: a simulated network, or real sockets.
public protocol ServerHost: Sendable {
    /// Starts serving at an address, and returns once connections are accepted.
    ///
    /// - Throws: `addressUnavailable` when the address is taken or not this host's.
    func listen(_ server: any Server, at address: SocketAddress) async throws(TransportError) -> any Listener
}

/// A server that is up.
public protocol Listener: Sendable {
    /// Where clients reach it, with the chosen port.
    var address: SocketAddress { get }

    /// Stops accepting, ends open connections, and returns when all of them have ended.
    func stop() async
}
