import Concurrency
import GeminiAPI
import HTTPTypes
import Services
import Transport

/// Sends requests to the service, and repeats those that may be repeated.
struct GeminiRequests: Sendable {
    /// Which failures of a request permit to send it again.
    enum Repetition {
        /// Those before anything was sent.
        case whenNothingWasSent
        /// Those after which it cannot have taken effect.
        case whenNothingWasDone
        /// All that may pass, since it changes nothing.
        case always
    }

    /// An answer of the service that is a success.
    typealias Answer = (head: HTTPResponse, body: HTTPBody)

    let client: any HTTPClient
    let endpoint: GeminiEndpoint
    let options: GeminiRESTOptions
    let key: @Sendable () throws(SecretStoreError) -> Secret?

    /// Begins a call, whose time runs from now.
    ///
    /// - Parameters:
    ///   - operation: What is tried.
    ///   - deadline: When it ends at the latest; the time of the options is kept too.
    /// - Throws: `missingKey`, `invalidKey`.
    func call(
        _ operation: String,
        until deadline: ContinuousClock.Instant? = nil
    ) throws(ChatModelError) -> GeminiCall {
        func unusable(_ code: ChatModelError.Code, _ detail: String) -> ChatModelError {
            ChatModelError(code, operation: operation, peer: endpoint.restAddress, detail: detail)
        }
        let found: Secret?
        do { found = try key() } catch { throw unusable(.missingKey, "\(error)") }
        guard let found, !found.reveal().isEmpty else { throw unusable(.missingKey, "") }
        // A header value of visible ASCII cannot smuggle a second header.
        guard found.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw unusable(.invalidKey, "the key holds characters that no key has")
        }
        let ownDeadline = ContinuousClock.now + options.deadline
        return GeminiCall(
            operation: operation,
            peer: endpoint.restAddress,
            key: found,
            deadline: deadline.map { min($0, ownDeadline) } ?? ownDeadline
        )
    }

    /// Sends a request until it is answered with 200, as often as it may be sent and within the time of the call.
    ///
    /// - Throws: The error of the last try.
    func send(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: GeminiCall,
        repeats: Repetition
    ) async throws(ChatModelError) -> Answer {
        var retry = 0
        return try await send(request, body, call, repeats: repeats, retry: &retry)
    }

    /// Sends a request as ``send(_:_:_:repeats:)`` does, where some of its tries may have been used already.
    ///
    /// - Parameter retry: How often it was repeated; the tries of this call are added.
    func send(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: GeminiCall,
        repeats: Repetition,
        retry: inout Int
    ) async throws(ChatModelError) -> Answer {
        while true {
            let failed: Failed
            do throws(Failed) { return try await attempt(request, body, call) } catch { failed = error }
            retry += 1
            guard failed.permits(repeats), body.isRepeatable,
                let wait = options.retries.jitteredWait(
                    beforeRetry: retry,
                    retryAfter: failed.error.retryAfter
                ),
                failed.error.retryAfter ?? .zero <= options.retries.longestServerWait, wait < call.timeLeft
            else { throw failed.error }
            do { try await Task.sleep(for: wait) } catch { throw call.error(.cancelled, "between two tries") }
        }
    }

    /// Reads a JSON document whole.
    ///
    /// - Throws: `tooLarge`, `timedOut`, `interrupted`, `cancelled`, and `malformed` for anything else than `Document`.
    func read<Document: Decodable>(
        _ body: HTTPBody,
        as type: Document.Type,
        _ call: GeminiCall
    ) async throws(ChatModelError) -> Document {
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try await body.collect(upTo: options.answerBytes, within: call.timeLeft)
        } catch {
            throw call.error(error)
        }
        do { return try JSONDocument.read(bytes, as: type) } catch {
            throw call.error(.malformed, "\(bytes.count) bytes that are no answer of the service")
        }
    }

    /// A try that did not succeed.
    private struct Failed: Error {
        let error: ChatModelError
        /// Whether nothing of the request was sent.
        var wasNotSent = false
        /// Whether it cannot have taken effect, as far as the service keeps to its own rules.
        let didNothing: Bool

        func permits(_ repetition: Repetition) -> Bool {
            switch repetition {
            case .whenNothingWasSent: wasNotSent && error.isTransient
            case .whenNothingWasDone: didNothing && error.isTransient
            case .always: error.isTransient
            }
        }
    }

    private func attempt(
        _ request: HTTPRequest,
        _ body: HTTPBody,
        _ call: GeminiCall
    ) async throws(Failed) -> Answer {
        let answer: Answer
        do throws(TransportError) {
            let (client, limits) = (client, options.limits)
            answer = try await finishing(within: call.timeLeft, "send request", of: call.peer) {
                () async throws(TransportError) in
                try await client.send(request, body: body, limits: limits)
            }
        } catch {
            let wasNotSent = error.reach == .notSent
            throw Failed(error: call.error(error), wasNotSent: wasNotSent, didNothing: wasNotSent)
        }
        if answer.head.status.code == 200 {
            guard !answer.head.isPage else {
                let error = call.error(.untrusted, "a page of somebody in between", status: 200)
                throw Failed(error: error, didNothing: false)
            }
            return answer
        }
        let limit = min(call.timeLeft, options.limits.progress)
        let page = await answer.body.beginning(upTo: ServiceRefusal.pageBytes, within: limit)
        if Task.isCancelled {
            throw Failed(error: call.error(.cancelled, "while reading the answer"), didNothing: false)
        }
        let status = answer.head.status.code
        let refusal = ServiceRefusal(status: status, body: page, key: call.key)
        var error = call.error(refusal.code, refusal.detail, status: status)
        error.retryAfter = [answer.head.headerFields.retryAfter, refusal.retryAfter].compactMap { $0 }.max()
        throw Failed(error: error, didNothing: [429, 503].contains(status))
    }
}

extension HTTPResponse {
    /// Whether it is a page for people, which the service never sends.
    fileprivate var isPage: Bool {
        headerFields[.contentType]?.lowercased().hasPrefix("text/html") ?? false
    }
}
