/// Why a live session could not be opened or used.
public struct LiveModelError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No key is configured.
        case missingKey
        /// The service does not accept the key, or no longer does.
        case invalidKey
        /// Too many requests or sessions; try later.
        case quotaExceeded
        /// The configuration or a message was refused; trying again will not help.
        case rejected
        /// The service failed on its side; trying again may help.
        case unavailable
        /// The network could not reach the service.
        case unreachable
        /// No answer in time.
        case timedOut
        /// The session has ended.
        case closed
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried: `open session`, `send frame`.
    public var operation: String
    /// The service's address, without key or query.
    public var peer: String
    /// What came back.
    ///
    /// Never contains the key.
    public var detail: String
    /// The WebSocket close code, when one came.
    public var closeCode: UInt16?
    /// How long the service asks its client to wait before the next session; `nil` when it did not say.
    public var retryAfter: Duration?

    /// Makes a value of its parts.
    public init(
        _ code: Code,
        operation: String,
        peer: String,
        detail: String = "",
        closeCode: UInt16? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.operation = operation
        self.peer = peer
        self.detail = detail
        self.closeCode = closeCode
        self.retryAfter = retryAfter
    }

    /// All of it, for people.
    public var description: String {
        let cause = detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
        let close = closeCode.map { " [close code \($0)]" } ?? ""
        return "could not \(operation) (\(peer)): \(cause)\(close)\(advice)"
    }

    private var advice: String {
        switch code {
        case .missingKey, .invalidKey: ". Set a valid key in the settings or the environment."
        case .quotaExceeded: ". Wait, or raise the quota."
        case .unreachable, .timedOut: ". Check the address and the network."
        case .rejected, .unavailable, .closed, .cancelled: ""
        }
    }
}
