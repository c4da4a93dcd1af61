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

    /// How far a request came, and with it whether it may have taken effect.
    public enum Reach: String, Sendable, Hashable, CaseIterable {
        /// Nothing of it has left: sending it again cannot repeat its effect.
        case notSent
        /// Some of it may have reached the peer: whether it took effect is not known.
        case sent
        /// The peer has begun to answer: what it says of the effect has been read, or is lost with the rest.
        case answered
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
    /// How long the server asks its client to wait before it tries again, when `code` is `upgradeRefused` and it said so.
    public var retryAfter: Duration?
    /// How far the request came.
    public var reach: Reach

    /// Makes a value of its parts; where `reach` is `nil` it is what follows from the code alone, and `sent` where nothing does.
    public init(
        _ code: Code,
        operation: String,
        peer: String,
        detail: String = "",
        status: Int? = nil,
        reach: Reach? = nil
    ) {
        self.code = code
        self.reach = reach ?? code.impliedReach
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

extension TransportError.Code {
    /// How far a request has come that fails so, as far as the kind of failure tells.
    fileprivate var impliedReach: TransportError.Reach {
        switch self {
        // There was no connection to send anything on.
        case .refused, .unreachable, .certificateRejected, .addressUnavailable: .notSent
        case .upgradeRefused: .answered
        case .timedOut, .reset, .closed, .tooLarge, .protocolViolation, .cancelled: .sent
        }
    }
}
