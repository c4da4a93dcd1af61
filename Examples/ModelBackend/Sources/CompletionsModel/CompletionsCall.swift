import Services
import Transport

/// What the tries of one call have in common.
struct CompletionsCall: Sendable {
    let operation: String
    let peer: String
    let key: Secret?
    let deadline: ContinuousClock.Instant

    /// What is left of its time; never negative.
    var timeLeft: Duration { max(.zero, deadline - .now) }

    /// An error of this call, without the key, whatever the words are that came back.
    func error(_ code: ChatModelError.Code, _ detail: String, status: Int? = nil) -> ChatModelError {
        ChatModelError(
            code,
            operation: operation,
            peer: peer,
            detail: redacted(detail),
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
            case .certificateRejected, .protocolViolation, .upgradeRefused: .untrusted
            case .refused, .unreachable, .addressUnavailable: .unreachable
            case .reset, .closed: error.reach == .notSent ? .unreachable : .interrupted
            }
        return self.error(code, error.description)
    }

    /// What a refusal means: a status, and the beginning of the page that came with it.
    ///
    /// - Parameters:
    ///   - status: The status on the wire; 200 for a refusal in the middle of a stream.
    ///   - page: The service's own words, or those of somebody in between.
    func refusal(status: Int, _ page: [UInt8]) -> ChatModelError {
        let text = redacted(String(decoding: page, as: UTF8.self))
        let failure = try? AnswerDocument(json: Array(text.utf8)).error
        let status = status == 200 ? failure?.status : status
        let code: ChatModelError.Code =
            switch status ?? 500 {
            // The conversation is longer than the model's context: OpenAI and vLLM, and llama.cpp.
            case 400 where failure?.kinds.contains { Self.kindsOfSize.contains($0) } == true: .tooLarge
            case 401 where key == nil: .missingKey
            case 401, 403: .invalidKey
            case 404: .notFound
            case 408, 504: .timedOut
            case 413: .tooLarge
            case 429: .quotaExceeded
            case 500...599: .unavailable
            case 400..<500: .rejected
            // A page of somebody in between, such as a captive portal that redirects.
            default: .untrusted
            }
        // Redacted again, since escapes may have hidden the key; cut after that, never through it.
        return error(code, String(redacted(failure?.message ?? text).prefix(300)), status: status)
    }

    private static let kindsOfSize = ["context_length_exceeded", "exceed_context_size_error"]

    private func redacted(_ text: String) -> String { key?.redacted(from: text) ?? text }
}
