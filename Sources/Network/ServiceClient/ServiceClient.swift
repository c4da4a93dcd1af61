internal import Concurrency
internal import Foundation
internal import HTTPTypes
internal import Services
public import Transport

/// An HTTP API with JSON bodies.
///
/// Calls go to an address that is asked for at each of them, carry a bearer token where there are tokens, and are repeated where that cannot
/// repeat their effect: see ``Call/Repetition``. A call whose token is refused with 401 is sent a second time with another token, and not a
/// third time. Redirects are not followed.
public struct ServiceClient: Sendable {
    private let http: any HTTPClient
    private let address: @Sendable () -> ServiceAddress?
    private let policy: CallPolicy
    private let tokens: BearerTokens?

    /// Makes a client; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - policy: How long calls take, and how often they are sent.
    ///   - tokens: What calls carry; `nil` for an open API.
    ///   - address: Is asked before each attempt; `nil` where none is configured.
    public init(
        _ http: any HTTPClient,
        policy: CallPolicy,
        tokens: BearerTokens? = nil,
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        self.http = http
        self.address = address
        self.policy = policy
        self.tokens = tokens
    }

    /// Makes a call, and reads the document that it is answered with.
    ///
    /// - Throws: `malformed` for another document than `Reply`; else as ``answer(to:)``.
    public func send<Reply: Decodable>(
        _ call: Call,
        as type: Reply.Type = Reply.self
    ) async throws(ServiceFailure) -> Reply {
        let answer = try await answer(to: call)
        do { return try JSONDecoder().decode(type, from: Data(answer.body)) } catch {
            var failure = ServiceFailure(
                .malformed,
                operation: call.operation,
                peer: address()?.description ?? "",
                detail: "\(answer.body.count) bytes that are not what the API says",
                status: answer.status
            )
            failure.body = Array(answer.body.prefix(ServiceFailure.bodyBytes))
            throw failure
        }
    }

    /// Makes a call, and reads what it is answered with, whole.
    ///
    /// - Throws: The failure of the last attempt. `refused` for every status but 2xx.
    public func answer(to call: Call) async throws(ServiceFailure) -> ServiceAnswer {
        let end = ContinuousClock.now + policy.deadline
        var token = try await firstToken(for: call, until: end)
        var hasRenewed = false
        var retry = 0
        while true {
            let failed: FailedAttempt
            do throws(FailedAttempt) { return try await attempt(call, token, until: end) } catch {
                failed = error
            }
            if failed.failure.status == 401, let sent = token, let tokens, !hasRenewed {
                hasRenewed = true
                token = try await waiting(for: call, until: end) { () async throws(ServiceFailure) in
                    try await tokens.renewed(after: sent)
                }
                continue
            }
            retry += 1
            let asked = failed.failure.retryAfter
            guard failed.failure.isTransient, failed.permits(call.repeats),
                asked ?? .zero <= policy.retries.longestServerWait,
                let wait = policy.retries.jitteredWait(beforeRetry: retry, retryAfter: asked),
                .now + wait < end
            else { throw failed.failure }
            do { try await Task.sleep(for: wait) } catch {
                throw ServiceFailure(
                    .cancelled,
                    operation: call.operation,
                    peer: failed.failure.peer,
                    detail: "between two attempts"
                )
            }
            // It may have expired while the call waited.
            if token != nil { token = try await firstToken(for: call, until: end) }
        }
    }

    private func firstToken(
        for call: Call,
        until end: ContinuousClock.Instant
    ) async throws(ServiceFailure) -> BearerToken? {
        guard call.isAuthorized, let tokens else { return nil }
        if let token = await tokens.present() { return token }
        return try await waiting(for: call, until: end) { () async throws(ServiceFailure) in
            try await tokens.valid()
        }
    }

    /// Waits for a token no longer than the call may take; its renewal goes on for others.
    private func waiting(
        for call: Call,
        until end: ContinuousClock.Instant,
        _ token: @escaping @Sendable () async throws(ServiceFailure) -> BearerToken
    ) async throws(ServiceFailure) -> BearerToken {
        let outcome = await withDeadline(end - .now) { () async -> Result<BearerToken, ServiceFailure> in
            do throws(ServiceFailure) { return .success(try await token()) } catch { return .failure(error) }
        }
        guard let outcome else {
            throw ServiceFailure(
                Task.isCancelled ? .cancelled : .timedOut,
                operation: call.operation,
                peer: address()?.description ?? "",
                detail: "while waiting for a token"
            )
        }
        return try outcome.get()
    }

    /// An attempt that did not succeed.
    private struct FailedAttempt: Error {
        var failure: ServiceFailure
        var wasSent = true

        func permits(_ repetition: Call.Repetition) -> Bool {
            switch repetition {
            case .whenNothingWasSent: !wasSent
            case .whenNothingWasDone: !wasSent || [429, 503].contains(failure.status ?? 0)
            case .always: true
            }
        }
    }

    private func attempt(
        _ call: Call,
        _ token: BearerToken?,
        until end: ContinuousClock.Instant
    ) async throws(FailedAttempt) -> ServiceAnswer {
        guard let address = address() else {
            let failure = ServiceFailure(
                .notConfigured,
                operation: call.operation,
                peer: "",
                detail: "there is no address of the service"
            )
            throw FailedAttempt(failure: failure, wasSent: false)
        }
        func failed(_ error: TransportError) -> FailedAttempt {
            var failure = ServiceFailure(error, operation: call.operation, peer: address.description)
            if let token { failure.detail = token.value.redacted(from: failure.detail) }
            return FailedAttempt(failure: failure, wasSent: error.reach != .notSent)
        }
        let request = call.request(to: address, token)
        let body = call.body.map { HTTPBody.bytes($0) } ?? .empty
        let (http, limits) = (http, policy.limits)
        let answer: (head: HTTPResponse, body: HTTPBody)
        do throws(TransportError) {
            answer = try await finishing(within: end - .now, "send request", of: request.loggedURL) {
                () async throws(TransportError) in
                try await http.send(request, body: body, limits: limits)
            }
        } catch { throw failed(error) }
        let status = answer.head.status.code
        guard (200..<300).contains(status) else {
            let left = max(.zero, min(end - .now, limits.progress))
            var failure = ServiceFailure(
                .refused,
                operation: call.operation,
                peer: address.description,
                status: status
            )
            failure.retryAfter = answer.head.headerFields.retryAfter
            failure.body = await answer.body.beginning(upTo: ServiceFailure.bodyBytes, within: left)
            if Task.isCancelled { failure.code = .cancelled }
            throw FailedAttempt(failure: failure)
        }
        guard answer.head.headerFields[.contentType]?.lowercased().hasPrefix("text/html") != true else {
            let failure = ServiceFailure(
                .untrusted,
                operation: call.operation,
                peer: address.description,
                detail: "a page of somebody in between",
                status: status
            )
            throw FailedAttempt(failure: failure)
        }
        do throws(TransportError) {
            let bytes = try await answer.body.collect(
                upTo: policy.answerBytes,
                within: max(.zero, end - .now)
            )
            return ServiceAnswer(head: answer.head, body: bytes)
        } catch {
            var failed = failed(error)
            failed.failure.status = status
            // Whatever broke it: an answer had begun.
            if failed.failure.code == .unreachable { failed.failure.code = .interrupted }
            failed.wasSent = true
            throw failed
        }
    }
}

extension Call {
    /// What is tried, for errors: without the query, which may hold a credential.
    fileprivate var operation: String { "\(method.rawValue) \(path.prefix { $0 != "?" })" }

    fileprivate func request(to address: ServiceAddress, _ token: BearerToken?) -> HTTPRequest {
        var request = HTTPRequest(
            method: method,
            scheme: address.scheme,
            authority: address.authority,
            path: address.root + path,
            headerFields: headerFields
        )
        request.headerFields[.accept] = "application/json"
        if body != nil { request.headerFields[.contentType] = "application/json" }
        if let token { request.headerFields[.authorization] = "Bearer \(token.value.reveal())" }
        return request
    }
}
