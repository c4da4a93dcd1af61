/// Why a chat model gave no answer, or not all of it.
public struct ChatModelError: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No key is configured.
        case missingKey
        /// The service does not accept the key, or not for this.
        case invalidKey
        /// Too many requests; try later.
        case quotaExceeded
        /// The request is one that the service does not accept; trying again will not help.
        case rejected
        /// There is no such model, or it cannot do this.
        case notFound
        /// The request or its answer is larger than is allowed.
        case tooLarge
        /// A file of the request is not ready yet.
        case fileNotReady
        /// A file of the request has expired, was deleted, or belongs to somebody else: it has to be uploaded again.
        case fileUnavailable
        /// The service failed on its side; trying again may help.
        case unavailable
        /// The network could not reach the service; nothing was sent.
        case unreachable
        /// The connection or the service broke off before the end.
        case interrupted
        /// No answer in time.
        case timedOut
        /// The answer is none that the service's interface knows.
        case malformed
        /// The answer is not from the service that was meant.
        case untrusted
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried: `generate`, `upload a file`.
    public var operation: String
    /// The service's address, without key or query.
    public var peer: String
    /// What came back.
    ///
    /// Never contains the key.
    public var detail: String
    /// The HTTP status, when one came.
    public var status: Int?
    /// How long the service asks its client to wait; `nil` when it did not say.
    public var retryAfter: Duration?

    /// Makes a value of its parts.
    public init(
        _ code: Code,
        operation: String,
        peer: String,
        detail: String = "",
        status: Int? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.operation = operation
        self.peer = peer
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch code {
        case .quotaExceeded, .fileNotReady, .unavailable, .unreachable, .interrupted, .timedOut, .malformed:
            true
        case .missingKey, .invalidKey, .rejected, .notFound, .tooLarge, .fileUnavailable, .untrusted,
            .cancelled:
            false
        }
    }

    /// All of it, for people.
    public var description: String {
        let cause = detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
        let answer = status.map { " [HTTP \($0)]" } ?? ""
        return "could not \(operation) (\(peer)): \(cause)\(answer)\(advice)"
    }

    private var advice: String {
        switch code {
        case .missingKey, .invalidKey: ". Set a valid key in the settings or the environment."
        case .quotaExceeded: ". Wait, or raise the quota."
        case .unreachable, .timedOut: ". Check the address and the network."
        case .untrusted: ". Check the address, and whether this network asks for a login."
        case .fileUnavailable: ". Upload the file again."
        case .fileNotReady: ". Wait until the service has prepared the file."
        case .rejected, .notFound, .tooLarge, .unavailable, .interrupted, .malformed, .cancelled: ""
        }
    }
}
