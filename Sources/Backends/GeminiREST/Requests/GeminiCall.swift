import ServiceClient
import Services

/// What the requests of one call share.
struct GeminiCall: Sendable {
    let operation: String
    let peer: String
    let key: Secret
    /// When it ends at the latest, where that is before the deadline of the options.
    let end: ContinuousClock.Instant?

    /// A request of this call that sends a document.
    ///
    /// - Throws: `rejected` for what JSON cannot hold.
    func request(
        _ path: String,
        sending document: some Encodable,
        repeats: Call.Repetition = .always
    ) throws(ChatModelError) -> Call {
        do throws(ServiceFailure) {
            var request = try Call.post(path, document)
            request.repeats = repeats
            return carrying(request)
        } catch { throw self.error(.rejected, "the request cannot be written as JSON") }
    }

    /// A request as one of this call, with the key; its path is what follows the version: `/models`.
    func carrying(_ request: Call) -> Call {
        var request = request
        request.carry(key, in: "x-goog-api-key")
        request.end = end
        return request
    }

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

    /// What a refusal means for this call.
    func error(_ refusal: ServiceRefusal) -> ChatModelError {
        var error = error(refusal.code, refusal.detail, status: refusal.status)
        error.retryAfter = refusal.retryAfter
        return error
    }

    /// What a failure means for this call.
    func error(_ failure: ServiceFailure) -> ChatModelError {
        let code: ChatModelError.Code
        switch failure.code {
        case .refused:
            var error = error(ServiceRefusal(status: failure.status ?? 0, body: failure.body, key: key))
            // Of header and body the longer one.
            error.retryAfter = failure.retryAfter
            return error
        case .cancelled: code = .cancelled
        case .timedOut: code = .timedOut
        case .tooLarge: code = .tooLarge
        // A server that is not the one that was meant, or does not speak the protocol: a person has to look.
        case .untrusted: code = .untrusted
        case .interrupted: code = .interrupted
        case .malformed: code = .malformed
        case .unreachable, .notConfigured, .signedOut: code = .unreachable
        }
        return error(code, failure.detail, status: failure.status)
    }
}
