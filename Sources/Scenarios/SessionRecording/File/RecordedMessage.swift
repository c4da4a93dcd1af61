/// One thing that crossed the boundary between the program and a service.
public struct RecordedMessage: Sendable, Hashable {
    /// Which way it went, seen from the program.
    public enum Direction: String, Sendable, Hashable {
        /// From the program to the service.
        case out
        /// From the service to the program.
        case `in`
    }

    /// What it was.
    public enum Kind: String, Sendable, Hashable {
        /// An HTTP request or WebSocket handshake, or the answer: method or status, path and header fields, as text.
        ///
        /// Of a datagram socket: what it was asked to do, and where it was bound; of the others what was asked.
        case head
        /// Bytes of a body, or what the host said.
        case body
        /// The end of a body, or of something that was to be done; of a datagram socket with the number of what was done.
        case end
        /// A WebSocket text message.
        case text
        /// A WebSocket binary message.
        case binary
        /// A ping that was sent and answered.
        case ping
        /// The end of a WebSocket conversation: code, a space, reason.
        case close
        /// A datagram: where it went and what its `DatagramReader` says of it, or where it came from and its bytes.
        case datagram
        /// An operation that failed: a coded `TransportError`.
        case failure
    }

    /// The number of the connection, from 0 in order of opening.
    public var connection: Int
    /// Which way it went.
    public var direction: Direction
    /// What it was.
    public var kind: Kind
    /// When it was complete, in nanoseconds since the session's start.
    public var nanoseconds: Int64
    /// The contents, with secrets redacted.
    public var bytes: [UInt8]

    /// Makes a message.
    public init(connection: Int, direction: Direction, kind: Kind, nanoseconds: Int64, bytes: [UInt8]) {
        self.connection = connection
        self.direction = direction
        self.kind = kind
        self.nanoseconds = nanoseconds
        self.bytes = bytes
    }
}
