import Services
import Transport

/// What the requests of one call share.
struct GeminiCall: Sendable {
    let operation: String
    let peer: String
    let key: Secret
    let deadline: ContinuousClock.Instant

    /// What is left of its time; never negative.
    var timeLeft: Duration { max(.zero, deadline - .now) }

    /// An error of this call; whatever comes from outside is cleared of the key.
    func error(_ code: ChatModelError.Code, _ detail: String, status: Int? = nil) -> ChatModelError {
        ChatModelError(
            code,
            operation: operation,
            peer: peer,
            detail: key.redacted(from: detail),
            status: status
        )
    }

    /// What a failure of the network means for this call.
    func error(_ error: TransportError) -> ChatModelError {
        let code: ChatModelError.Code =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            // A server that is not the one that was meant, or does not speak the protocol: a person has to look.
            case .certificateRejected, .protocolViolation, .upgradeRefused: .untrusted
            case .refused, .unreachable, .addressUnavailable: .unreachable
            case .reset, .closed: error.reach == .notSent ? .unreachable : .interrupted
            }
        return self.error(code, error.description)
    }
}
