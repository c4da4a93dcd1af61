import ServiceClient
import Services

/// What the failures of one call have in common.
struct CompletionsCall: Sendable {
    let operation: String
    let peer: String
    let key: Secret?

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

    /// What a failure means for this call.
    func error(_ failure: ServiceFailure) -> ChatModelError {
        let code: ChatModelError.Code
        switch failure.code {
        case .refused:
            var error = refusal(status: failure.status ?? 0, failure.body)
            error.retryAfter = failure.retryAfter
            return error
        case .cancelled: code = .cancelled
        case .timedOut: code = .timedOut
        case .tooLarge: code = .tooLarge
        case .untrusted: code = .untrusted
        case .malformed: code = .malformed
        case .interrupted: code = .interrupted
        case .unreachable, .notConfigured, .signedOut: code = .unreachable
        }
        return error(code, failure.detail, status: failure.status)
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
