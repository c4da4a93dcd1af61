/// How long one request may stand still.
///
/// No limit covers the request as a whole: an upload of any size goes on while the peer takes it, and one that no
/// longer moves is noticed within ``progress``. A caller that wants a deadline for the whole cancels its task.
public struct HTTPLimits: Sendable, Hashable {
    /// The longest wait for a connection: its name, its place in a pool, and its handshakes.
    public var connect: Duration
    /// The longest wait for the peer to take the next chunk of the request's body, or to send the next one of the
    /// answer's.
    ///
    /// The time in which the request's body makes its next chunk does not count.
    public var progress: Duration
    /// The longest wait for the head of the answer after the last byte of the request's body was sent.
    public var head: Duration

    /// Makes limits of their parts.
    public init(
        connect: Duration = .seconds(30),
        progress: Duration = .seconds(30),
        head: Duration = .seconds(30)
    ) {
        self.connect = connect
        self.progress = progress
        self.head = head
    }

    /// The same limit for each step.
    public init(each limit: Duration) {
        self.init(connect: limit, progress: limit, head: limit)
    }
}
