/// How long the hosts of a network try before they give up, as a TCP stack is configured.
public struct StreamTiming: Sendable, Hashable {
    /// The wait before an unanswered connection request is sent again; it doubles.
    ///
    /// RFC 6298 section 2.1: 1 s.
    public var connectRetransmission: Duration = .seconds(1)
    /// When an unanswered connection attempt fails.
    ///
    /// Linux: six retries, 127 s (`tcp_syn_retries`).
    public var connectTimeout: Duration = .seconds(127)
    /// The wait before a lost segment is sent again; it doubles.
    ///
    /// Linux: at least 200 ms (`TCP_RTO_MIN`).
    public var retransmission: Duration = .milliseconds(200)
    /// The longest wait between two retransmissions.
    ///
    /// Linux: 120 s (`TCP_RTO_MAX`).
    public var longestRetransmission: Duration = .seconds(120)
    /// When a stream breaks whose segments do not get through.
    ///
    /// Linux: 924.6 s (`tcp_retries2` = 15).
    public var userTimeout: Duration = .milliseconds(924_600)
    /// The longest wait of a server for more of a request's body, or for the next request; then it ends the connection.
    public var serverIdleTimeout: Duration = .seconds(60)
    /// How long a client keeps a connection for the next request; zero keeps none.
    ///
    /// `LiveTransport` keeps it as long, which is well below the time of common servers.
    public var clientIdleTimeout: Duration = .seconds(15)
    /// How long a WebSocket that has sent its close frame waits for the other one.
    public var closeTimeout: Duration = .seconds(10)
    /// Bytes of one direction, sent and not yet read, past which a sender waits; the last message may exceed it.
    public var windowBytes = 256 * 1024
    /// Connections that a listener serves at once; more are refused.
    public var connectionsPerListener = 4096

    /// Timing like that of Linux.
    public init() {}
}
