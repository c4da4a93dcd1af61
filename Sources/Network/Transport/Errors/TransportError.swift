/// What went wrong between two peers, below the meaning of their messages.
///
/// `code` is stable and meant for decisions; the rest is evidence for people.
public struct TransportError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nobody listens at the address.
        case refused
        /// No route, or the name is unknown.
        case unreachable
        /// The other side did not answer in time.
        case timedOut
        /// An established connection broke without a close.
        case reset
        /// The connection was closed by this side before the call.
        case closed
        /// The peer's certificate was not accepted.
        case certificateRejected
        /// The server answered a WebSocket handshake with something other than 101.
        case upgradeRefused
        /// A message or body was larger than the limit in force.
        case tooLarge
        /// The peer sent bytes that the protocol does not allow.
        case protocolViolation
        /// The local address or port cannot be used.
        case addressUnavailable
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried, as a verb phrase: `connect`, `send request`, `read body`.
    public var operation: String
    /// The other side: host and port, or URL without its query (a query may carry a key).
    public var peer: String
    /// What came back, in the words of the layer that failed.
    public var detail: String
    /// The HTTP status, when `code` is `upgradeRefused`.
    public var status: Int?
    /// The beginning of the answer's body, when `code` is `upgradeRefused`: the server's own words, 16 KiB at most.
    ///
    /// It may repeat what was sent, a key included, so that ``description`` leaves it out.
    public var body: [UInt8] = []

    /// Makes a value of its parts.
    public init(_ code: Code, operation: String, peer: String, detail: String = "", status: Int? = nil) {
        self.code = code
        self.operation = operation
        self.peer = peer
        self.detail = detail
        self.status = status
    }

    /// All of it, for people.
    public var description: String {
        let cause = detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
        return "could not \(operation) (\(peer)): \(cause)"
    }
}
