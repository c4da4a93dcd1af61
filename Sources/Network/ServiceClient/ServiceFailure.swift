internal import Transport

/// Why a call of an API failed.
///
/// `code` is stable and meant for decisions; the rest is evidence. Nothing of it holds the secrets that were sent, as far as they come back as
/// they were sent; inside a document they may be escaped.
public struct ServiceFailure: Error, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no address, or one that cannot be used.
        case notConfigured
        /// There is no token: nobody is signed in, or the store of secrets cannot be read.
        case signedOut
        /// The service cannot be reached; nothing of the call was sent.
        case unreachable
        /// The connection broke: whether the call took effect is not known.
        case interrupted
        /// The time of the call is over.
        case timedOut
        /// The peer is not the service, or does not speak its protocol: a wrong certificate, a page of somebody in between.
        case untrusted
        /// The service answered with a status that is no success, which is in `status`.
        case refused
        /// What came back, or what was to be sent, is not what the API says.
        case malformed
        /// The answer is longer than is read.
        case tooLarge
        /// The calling task was cancelled.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried: `POST /orders`.
    public var operation: String
    /// The address of the service.
    public var peer: String
    /// What came back, in the words of the layer that failed.
    public var detail: String
    /// The HTTP status, where there was an answer.
    public var status: Int?
    /// How long the service asks to wait before the next try.
    public var retryAfter: Duration?
    /// The beginning of the answer's body, at most ``bodyBytes`` bytes: where a service says in its own form what is wrong.
    ///
    /// It may repeat what was sent, so that ``description`` leaves it out.
    public var body: [UInt8] = []
    /// Whether the body broke off, so that what the service says in it may be missing.
    public internal(set) var isCut: Bool = false

    /// Whether nothing of the call was sent, as far as the network knows.
    private var isUnsent = false

    /// How many bytes of a refusal are read.
    public static let bodyBytes: Int = 65_536

    /// Makes a value of its parts.
    public init(_ code: Code, operation: String, peer: String, detail: String = "", status: Int? = nil) {
        self.code = code
        self.operation = operation
        self.peer = peer
        self.detail = detail
        self.status = status
    }

    /// Whether the same call may succeed a little later.
    public var isTransient: Bool {
        switch code {
        case .unreachable, .interrupted, .timedOut: true
        // 408 and 425: the service gave up waiting, or it is too early; 429: too many; 5xx but for what it never does.
        case .refused: [408, 425, 429, 500, 502, 503, 504].contains(status ?? 0)
        case .notConfigured, .signedOut, .untrusted, .malformed, .tooLarge, .cancelled: false
        }
    }

    /// Whether the call may have taken effect, for all that this failure says: never where nothing of it was sent.
    public var mayHaveTakenEffect: Bool {
        switch code {
        case .notConfigured, .signedOut, .unreachable: false
        case .interrupted, .timedOut, .untrusted, .refused, .malformed, .tooLarge, .cancelled: !isUnsent
        }
    }

    /// What was tried, what came back.
    public var description: String {
        let cause = [code.rawValue, status.map { "HTTP \($0)" }, detail.isEmpty ? nil : detail]
        return "could not \(operation) (\(peer)): \(cause.compactMap(\.self).joined(separator: ", "))"
    }

    /// What a failure of the network means for a call.
    init(_ error: TransportError, operation: String, peer: String) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            case .certificateRejected, .protocolViolation, .upgradeRefused: .untrusted
            case .refused, .unreachable, .addressUnavailable: .unreachable
            case .reset, .closed: error.reach == .notSent ? .unreachable : .interrupted
            }
        self.init(code, operation: operation, peer: peer, detail: error.description)
        isUnsent = error.reach == .notSent
    }
}
