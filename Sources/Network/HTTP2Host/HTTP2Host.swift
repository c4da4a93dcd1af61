public import LiveTransport
internal import NIOSSL
public import Transport

/// Hosts servers on real sockets that speak HTTP/2 alone: over TLS, with ALPN or without, and in plain text to clients that know it beforehand.
///
/// A request reaches its server whole, and an answer is sent whole: it is for services with small messages. There are no WebSockets. A server's answer with
/// `Connection: close`, a field that HTTP/2 does not have, ends the connection with GOAWAY once its streams are done. As with `LoopbackHost`, only addresses of this
/// machine alone are accepted, unless remote ones are allowed explicitly.
///
/// Source: RFC 9113.
public struct HTTP2Host: ServerHost {
    /// Bounds for what peers may cause.
    public struct Limits: Sendable, Hashable {
        /// Open connections at which further ones wait to be accepted.
        public var connections: Int = 256
        /// Requests that a connection may have at a time: SETTINGS_MAX_CONCURRENT_STREAMS.
        public var streams: Int = 1000
        /// The most bytes of all header fields of a request together, as HPACK counts them.
        public var headerBytes: Int = 16 * 1024
        /// The most bytes of a request's body; where it is longer, its server reads so many and then `tooLarge`.
        public var bodyBytes: Int = 16 * 1024
        /// Bytes of bodies that all connections of a listener may hold; a request past that is refused with REFUSED_STREAM.
        public var memoryBytes: Int = 16 * 1024 * 1024
        /// The most bytes of an answer's body; a longer one resets its stream.
        public var answerBytes: Int = 1024 * 1024
        /// How long a request may take to come.
        public var requestTimeout: Duration = .seconds(30)
        /// How long a connection may be without a request.
        public var idleTimeout: Duration = .seconds(600)
        /// The silence after which a peer is asked with PING whether it is there; it has 20 seconds to answer.
        public var pingInterval: Duration = .seconds(120)

        /// Limits that suit a server for tests and development.
        public init() {}
    }

    let base: LoopbackHost
    let tls: NIOSSLContext?
    let limits: Limits

    /// Makes a host.
    ///
    /// - Parameters:
    ///   - allowRemote: Whether addresses may be used that other machines can reach.
    ///   - identity: Certificate and key for TLS; `nil` for plain text.
    ///   - limits: Bounds for what peers may cause.
    /// - Throws: `certificateRejected` when the identity cannot be read.
    public init(
        allowRemote: Bool = false,
        identity: ServerIdentity? = nil,
        limits: Limits = Limits()
    ) throws(TransportError) {
        base = try LoopbackHost(allowRemote: allowRemote)
        self.limits = limits
        tls = if let identity { try identity.context(protocols: ["h2"]) } else { nil }
    }

    /// Starts serving at an address; see `Transport.ServerHost`.
    public func listen(_ server: any Server, at address: SocketAddress) async throws(TransportError)
        -> any Listener
    {
        guard try await base.allows(address) else {
            throw TransportError(
                .addressUnavailable,
                operation: "listen",
                peer: "\(address)",
                detail: "not an address of this machine alone; allow remote ones explicitly"
            )
        }
        return try await HTTP2Listener.start(server, at: address, on: self)
    }
}
