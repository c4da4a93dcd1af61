import NIOSSL
public import Transport

/// Hosts servers on real sockets: HTTP/1.1 with keep-alive, WebSocket, and datagrams.
///
/// Only addresses of this machine alone are accepted, unless remote ones are allowed explicitly: the simulated
/// servers are not meant to face strangers.
public struct LoopbackHost: PeerHost {
    /// Bounds for what peers may cause.
    public struct Limits: Sendable, Hashable {
        /// The most bytes of all header fields of a request together.
        public var headerBytes: Int
        /// Open connections at which further ones wait to be accepted.
        public var connections: Int
        /// Bytes that all connections of a listener may hold together of what their peers made them store: requests that are
        /// not whole or not read, WebSocket messages that are not whole, not read or not sent, and what peers do not take.
        ///
        /// When they exceed this, a connection gives up what it holds: a request is refused with 503 and `Retry-After`, a WebSocket
        /// closed with 1013, and a peer that does not take what waits for it is cut. It is the one with the largest sum of bytes
        /// times seconds, each byte counting for a second at least, of those that hold more than this number divided by the
        /// connections that hold anything; ended ones come first, and count as one of these together. What a server itself keeps of a request does not count. The default has room for one of the largest WebSocket messages
        /// that are allowed by default, and for much else.
        public var memoryBytes: Int
        /// The longest wait for the next request, for more of a body, and for a peer to take what was sent.
        ///
        /// A peer that in this time takes less of what waits for it than a body has to bring, by ``bodyBytesPerSecond``, is cut.
        public var idleTimeout: Duration
        /// How long a request's body may come as slowly as it likes, before ``bodyBytesPerSecond`` counts.
        public var bodyGrace: Duration
        /// How fast a request's body has to come on average, while the server has room for it.
        ///
        /// A peer that sends a byte now and then would otherwise hold a connection for as long as it likes.
        public var bodyBytesPerSecond: Int
        /// How long the rest of a body is read and discarded after an early answer, before the connection is cut.
        public var discardTimeout: Duration
        /// How long the closing handshake of a WebSocket may take.
        public var closeTimeout: Duration
        /// Pings for WebSockets whose server asks for none, or `nil` for none.
        ///
        /// A peer that has gone without a word would otherwise keep its place among the connections for as long as the server
        /// runs. The default is as patient with it as with an HTTP connection, and disturbs no peer that speaks: clients
        /// of live models ping every 20 seconds themselves, and whatever they send counts.
        public var keepAlive: WebSocketKeepAlive?

        /// Makes limits that suit a server for tests and development.
        public init(
            headerBytes: Int = 64 * 1024,
            connections: Int = 1024,
            memoryBytes: Int = 24 * 1024 * 1024,
            idleTimeout: Duration = .seconds(60),
            bodyGrace: Duration = .seconds(30),
            bodyBytesPerSecond: Int = 500,
            discardTimeout: Duration = .seconds(30),
            closeTimeout: Duration = .seconds(5),
            keepAlive: WebSocketKeepAlive? = WebSocketKeepAlive(interval: .seconds(25), silence: .seconds(60))
        ) {
            self.headerBytes = headerBytes
            self.connections = connections
            self.memoryBytes = memoryBytes
            self.idleTimeout = idleTimeout
            self.bodyGrace = bodyGrace
            self.bodyBytesPerSecond = bodyBytesPerSecond
            self.discardTimeout = discardTimeout
            self.closeTimeout = closeTimeout
            self.keepAlive = keepAlive
        }
    }

    let allowRemote: Bool
    let tls: NIOSSLContext?
    let limits: Limits

    /// Makes a host.
    ///
    /// - Parameters:
    ///   - allowRemote: Whether addresses may be used that other machines can reach.
    ///   - identity: Certificate and key for `https` and `wss`; `nil` for plain `http` and `ws`.
    ///   - limits: Bounds for what peers may cause.
    /// - Throws: `certificateRejected` when the identity cannot be read.
    public init(
        allowRemote: Bool = false,
        identity: ServerIdentity? = nil,
        limits: Limits = Limits()
    ) throws(TransportError) {
        self.allowRemote = allowRemote
        self.limits = limits
        tls = if let identity { try identity.context() } else { nil }
    }

    /// Whether the host may serve at an address: whether only this machine can reach it, or remote ones are allowed.
    ///
    /// - Throws: `unreachable` when the address has a name that cannot be resolved.
    public func allows(_ address: SocketAddress) async throws(TransportError) -> Bool {
        if allowRemote { return true }
        return try await address.resolved().allSatisfy(\.address.isLoopback)
    }

    /// Starts serving at an address; see `Transport.ServerHost`.
    public func listen(
        _ server: any Server,
        at address: SocketAddress
    ) async throws(TransportError) -> any Listener {
        try await LiveListener.start(server, at: address, on: self)
    }
}
