import Services
import Transport

extension LiveModelError.Code {
    /// What a close of the connection means.
    ///
    /// The reason counts before the code: the same failure comes with different codes (a bad key with 1007 or
    /// 1011). The codes and reasons are those seen in reports about the public service.
    init(_ close: WebSocketClose) {
        let reason = close.reason.lowercased()
        let speaksOf = { (words: String...) in words.contains { reason.contains($0) } }
        // How an ephemeral token is refused is not known from any report.
        if speaksOf("api key", "unregistered callers", "authentication credentials", "auth token") {
            self = .invalidKey
        } else if speaksOf("maximum concurrent") {
            // A session that was lost counts until the service notices: it passes.
            self = .unavailable
        } else if speaksOf("quota", "resource_exhausted") {
            self = .quotaExceeded
        } else if speaksOf(
            "operation was aborted",
            "operation was cancelled",
            "deadline expired",
            // Both come with 1008 in the middle of sessions, around tool calls, and not for what the client did.
            "operation is not implemented",
            "requested entity was not found"
        ) {
            self = .unavailable
        } else {
            self =
                switch close.code {
                case 1002, 1003, 1007, 1008, 1009: .rejected
                case 1006: .unreachable
                default: .unavailable
                }
        }
    }

    /// What a failure of the network means.
    init(_ error: TransportError) {
        self =
            switch error.code {
            case .refused, .unreachable, .reset, .addressUnavailable: .unreachable
            case .timedOut: .timedOut
            case .closed: .closed
            case .cancelled: .cancelled
            // A server that is not the one that was meant, or does not speak the protocol: a person has to look.
            case .tooLarge, .certificateRejected, .protocolViolation: .rejected
            case .upgradeRefused:
                switch error.status ?? 0 {
                case 401, 403: .invalidKey
                // Google's gateways answer a key of the wrong form with 400 and these words.
                case 400 where error.bodySpeaksOfKey: .invalidKey
                case 429: .quotaExceeded
                case 400..<500: .rejected
                default: .unavailable
                }
            }
    }
}

extension TransportError {
    /// Whether a refusal's words name the key as its cause.
    fileprivate var bodySpeaksOfKey: Bool {
        String(decoding: body, as: UTF8.self).lowercased().contains("api key")
    }
}
