/// What one connection may hold in memory, and how long its peer may be silent.
///
/// With the defaults a connection holds less than 18 MiB of what its peer sends, whatever that is: ``bufferedBytes``,
/// one message that exceeds them, and what the system has received. A peer that is held back has its pings answered, and
/// its close accepted, up to the first message that there is no room for.
public struct WebSocketLimits: Sendable, Hashable {
    /// Bytes of one whole message; a larger one closes the connection with 1009.
    public var messageBytes: Int
    /// Messages received and not yet read, after which the peer is held back.
    public var bufferedMessages: Int
    /// Bytes of messages received and not yet read, after which the peer is held back; the last message may exceed it.
    public var bufferedBytes: Int
    /// Whether and how a peer that has gone without a word is noticed; `nil` leaves that to the system.
    public var keepAlive: WebSocketKeepAlive?

    /// Makes a value of its parts.
    public init(
        messageBytes: Int = 16 * 1024 * 1024,
        bufferedMessages: Int = 256,
        bufferedBytes: Int = 1024 * 1024,
        keepAlive: WebSocketKeepAlive? = nil
    ) {
        self.messageBytes = messageBytes
        self.bufferedMessages = bufferedMessages
        self.bufferedBytes = bufferedBytes
        self.keepAlive = keepAlive
    }

    /// The close that a message of this size calls for, if it is too large.
    package func refusal(ofMessageOf bytes: Int) -> WebSocketClose? {
        if bytes <= messageBytes { return nil }
        return WebSocketClose(code: 1009, reason: "message over \(messageBytes) bytes")
    }
}

/// Pings that ask whether the peer is still there, and the silence after which it is taken for gone.
///
/// Whatever comes from the peer counts as a sign of life, and nothing else does: that the system takes what is sent says
/// nothing about the peer. A ping is sent when nothing came for ``interval``.
/// After ``silence`` the connection is cut: the reader gets 1006, and senders `reset`. Time in which this side does
/// not read, because its buffer is full, does not count. A peer that itself does not read cannot answer, and is taken for
/// gone like one that is. So is one whose answer comes too late because the ping stands behind a message that takes longer
/// than ``silence`` to send.
public struct WebSocketKeepAlive: Sendable, Hashable {
    /// The silence after which a ping is sent, and the time between two pings.
    public var interval: Duration
    /// The silence after which the connection is cut; more than ``interval``, or no ping can be answered in time.
    public var silence: Duration

    /// Makes a value of its parts.
    public init(interval: Duration, silence: Duration) {
        self.interval = interval
        self.silence = silence
    }
}
