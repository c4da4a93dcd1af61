import Concurrency
import HTTPTypes
import Services
import Transport

/// Sends requests, and repeats those that cannot have taken effect.
struct CompletionsRequests: Sendable {
    let client: any HTTPClient
    let endpoint: CompletionsEndpoint
    let options: CompletionsOptions
    let key: @Sendable () throws(SecretStoreError) -> Secret?

    /// Begins a call, whose time runs from now.
    func call(_ operation: String) throws(ChatModelError) -> CompletionsCall {
        func failed(_ code: ChatModelError.Code, _ detail: String) -> ChatModelError {
            ChatModelError(code, operation: operation, peer: address, detail: detail)
        }
        let found: Secret?
        do { found = try key() } catch { throw failed(.missingKey, "\(error)") }
        // A header value of visible ASCII cannot smuggle a second header.
        guard found?.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
            throw failed(.invalidKey, "the key holds characters that no key has")
        }
        return CompletionsCall(
            operation: operation,
            peer: address,
            key: found,
            deadline: .now + options.deadline
        )
    }

    /// Sends a request until it is answered with 200, as often as it may be sent and within the time of the call.
    func send(_ document: RequestDocument, _ call: CompletionsCall) async throws(ChatModelError) -> HTTPBody {
        let request = request(call.key)
        let body = HTTPBody.bytes(try document.bytes(call))
        var retry = 0
        while true {
            let failed: FailedTry
            do throws(FailedTry) { return try await attempt(request, body, call) } catch { failed = error }
            retry += 1
            let asked = failed.error.retryAfter
            guard failed.mayBeRepeated, asked ?? .zero <= options.retries.longestServerWait,
                let wait = options.retries.jitteredWait(beforeRetry: retry, retryAfter: asked),
                wait < call.timeLeft
            else { throw failed.error }
            do { try await Task.sleep(for: wait) } catch { throw call.error(.cancelled, "between two tries") }
        }
    }

    /// Reads a whole answer.
    func read(_ body: HTTPBody, _ call: CompletionsCall) async throws(ChatModelError) -> AnswerDocument {
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try await body.collect(upTo: options.answerBytes, within: call.timeLeft)
        } catch {
            throw call.error(error)
        }
        guard let document = try? AnswerDocument(json: bytes) else {
            throw call.error(
                .malformed,
                "\(bytes.count) bytes that are no answer of the service",
                status: 200
            )
        }
        if document.error != nil { throw call.refusal(status: 200, bytes) }
        return document
    }

    /// A try that did not succeed.
    private struct FailedTry: Error {
        let error: ChatModelError
        let mayBeRepeated: Bool
    }

    private func attempt(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: CompletionsCall
    ) async throws(FailedTry) -> HTTPBody {
        var limits = options.limits
        limits.connect = min(limits.connect, call.timeLeft)
        limits.head = min(limits.head, call.timeLeft)
        let answer: (head: HTTPResponse, body: HTTPBody)
        do throws(TransportError) {
            answer = try await client.send(request, body: body, limits: limits)
        } catch {
            let failure = call.error(error)
            throw FailedTry(
                error: failure,
                mayBeRepeated: error.reach == .notSent && failure.isTransient
            )
        }
        let status = answer.head.status.code
        if status == 200 {
            guard answer.head.headerFields[.contentType]?.hasPrefix("text/html") != true else {
                let error = call.error(.untrusted, "a page of somebody in between", status: status)
                throw FailedTry(error: error, mayBeRepeated: false)
            }
            return answer.body
        }
        let page = await answer.body.beginning(upTo: 65_536, within: min(limits.progress, call.timeLeft))
        if Task.isCancelled {
            throw FailedTry(
                error: call.error(.cancelled, "while reading a refusal"),
                mayBeRepeated: false
            )
        }
        var error = call.refusal(status: status, page)
        error.retryAfter = answer.head.headerFields.retryAfter
        throw FailedTry(error: error, mayBeRepeated: [429, 503].contains(status))
    }

    private func request(_ key: Secret?) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post,
            scheme: endpoint.isSecure ? "https" : "http",
            authority: endpoint.authority,
            path: "/v1/chat/completions"
        )
        request.headerFields[.contentType] = "application/json"
        if let key { request.headerFields[.authorization] = "Bearer \(key.reveal())" }
        return request
    }

    /// The address for errors.
    private var address: String {
        "\(endpoint.isSecure ? "https" : "http")://\(endpoint.authority)/v1/chat/completions"
    }
}
