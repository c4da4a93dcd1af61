internal import Concurrency
internal import Foundation
internal import HTTPTypes
internal import Services
public import Transport

/// An HTTP API with JSON bodies.
///
/// Calls go to an address that is asked for at each of them, carry a bearer token where there are tokens, and are repeated where that cannot
/// repeat their effect: see ``Call/Repetition``. A call whose token is refused with 401 is sent a second time with another token, and not a
/// third time. Redirects are not followed, and a page of HTML is no answer but to a call that admits it.
public struct ServiceClient: Sendable {
    private let http: any HTTPClient
    private let address: @Sendable () -> ServiceAddress?
    private let policy: CallPolicy
    private let tokens: BearerTokens?
    private let wait: @Sendable ([UInt8]) -> Duration?

    /// Makes a client; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - policy: How long calls take, and how often they are sent.
    ///   - tokens: What calls carry; `nil` for an open API.
    ///   - wait: Reads how long a refusal's body asks to wait; the longer of it and of `Retry-After` counts.
    ///   - address: Is asked before each attempt; `nil` where none is configured.
    public init(
        _ http: any HTTPClient,
        policy: CallPolicy,
        tokens: BearerTokens? = nil,
        wait: @escaping @Sendable (_ body: [UInt8]) -> Duration? = { _ in nil },
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        self.http = http
        self.wait = wait
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
        try await answer(to: call).document(as: type)
    }

    /// Makes a call, and reads what it is answered with, whole.
    ///
    /// - Throws: The failure of the last attempt. `refused` for every status but 2xx.
    public func answer(to call: Call) async throws(ServiceFailure) -> WholeAnswer {
        let (end, limit) = (self.end(of: call), policy.answerBytes)
        return try await answer(to: call, until: end) { answer throws(ServiceFailure) in
            let body = try await answer.read(upTo: limit, within: end.map(Self.left(until:)))
            return WholeAnswer(head: answer.head, body: body, evidence: answer.evidence)
        }
    }

    /// Makes a call, and returns as soon as its answer has begun; once it has, the call is not repeated, and the deadline is the reader's.
    ///
    /// - Throws: As ``answer(to:)``.
    public func open(_ call: Call) async throws(ServiceFailure) -> StreamedAnswer {
        try await answer(to: call, until: end(of: call)) { answer in answer }
    }

    /// Makes a call that is answered with server-sent events, and returns as soon as its answer has begun; once it has, the call is not repeated.
    ///
    /// The deadline and the limits of the policy hold for all of the answer.
    ///
    /// - Throws: As ``answer(to:)``.
    public func events(of call: Call) async throws(ServiceFailure) -> sending ServiceEvents {
        var call = call
        call.headerFields[.accept] = "text/event-stream"
        let end = self.end(of: call)
        let answer = try await answer(to: call, until: end) { answer in answer }
        return ServiceEvents(answer, until: end, policy)
    }

    // MARK: Attempts

    private func end(of call: Call) -> ContinuousClock.Instant? {
        [call.end, policy.deadline.map { .now + $0.sleepable }].compactMap(\.self).min()
    }

    private static func left(until end: ContinuousClock.Instant) -> Duration { max(.zero, end - .now) }

    /// Sends a call as often as it may be sent, and reads its answer; a failure to read counts as one of the attempt.
    private func answer<Answer>(
        to call: Call,
        until end: ContinuousClock.Instant?,
        _ read: (StreamedAnswer) async throws(ServiceFailure) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        var token = try await firstToken(for: call, until: end)
        var hasRenewed = false
        var retry = 0
        while true {
            let failed: FailedAttempt
            do throws(FailedAttempt) {
                let answer = try await attempt(call, token, until: end)
                do throws(ServiceFailure) { return try await read(answer) } catch {
                    throw FailedAttempt(failure: error)
                }
            } catch { failed = error }
            guard call.body.isRepeatable else { throw failed.failure }
            if failed.failure.status == 401, let sent = token, let tokens, !hasRenewed {
                hasRenewed = true
                let next = try await waiting(for: call, until: end) { () async throws(ServiceFailure) in
                    try await tokens.renewed(after: sent)
                }
                token = try Self.checked(next, for: call)
                continue
            }
            retry += 1
            let asked = failed.failure.retryAfter
            guard failed.failure.isTransient, failed.permits(call.repeats),
                asked ?? .zero <= policy.retries.longestServerWait,
                let wait = policy.retries.jitteredWait(beforeRetry: retry, retryAfter: asked),
                end.map({ .now + wait < $0 }) ?? true
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
        until end: ContinuousClock.Instant?
    ) async throws(ServiceFailure) -> BearerToken? {
        guard call.isAuthorized, let tokens else { return nil }
        if let token = await tokens.present() { return try Self.checked(token, for: call) }
        let token = try await waiting(for: call, until: end) { () async throws(ServiceFailure) in
            try await tokens.valid()
        }
        return try Self.checked(token, for: call)
    }

    /// A token that the call may carry: somebody else may have signed in since the call was made.
    private static func checked(_ token: BearerToken, for call: Call) throws(ServiceFailure) -> BearerToken {
        guard let holder = call.holder, token.holder != holder else { return token }
        throw ServiceFailure(
            .signedOut,
            operation: call.operation,
            peer: "",
            detail: "its holder is not signed in any more"
        )
    }

    /// Waits for a token no longer than the call may take; its renewal goes on for others.
    private func waiting(
        for call: Call,
        until end: ContinuousClock.Instant?,
        _ token: @escaping @Sendable () async throws(ServiceFailure) -> BearerToken
    ) async throws(ServiceFailure) -> BearerToken {
        guard let end else { return try await token() }
        let outcome = await withDeadline(Self.left(until: end)) {
            () async -> Result<BearerToken, ServiceFailure> in
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
            case .unlessRefused: failure.code != .refused
            case .always: true
            }
        }
    }

    private func attempt(
        _ call: Call,
        _ token: BearerToken?,
        until end: ContinuousClock.Instant?
    ) async throws(FailedAttempt) -> StreamedAnswer {
        var call = call
        if let token { call.carry(token.value, in: "Authorization", scheme: "Bearer") }
        let address = call.address ?? self.address()
        let evidence = Evidence(
            operation: call.operation,
            peer: address?.description ?? "",
            secrets: call.credentials.map(\.secret)
        )
        guard let address else {
            let failure = evidence.failure(.notConfigured, "there is no address of the service")
            throw FailedAttempt(failure: failure, wasSent: false)
        }
        let request = call.request(to: address)
        let (http, body, limits) = (http, call.body, policy.limits)
        let answer: (head: HTTPResponse, body: HTTPBody)
        do throws(TransportError) {
            if let end {
                answer = try await finishing(
                    within: Self.left(until: end),
                    "send request",
                    of: request.loggedURL
                ) { () async throws(TransportError) in
                    try await http.send(request, body: body, limits: limits)
                }
            } else {
                answer = try await http.send(request, body: body, limits: limits)
            }
        } catch {
            throw FailedAttempt(failure: evidence.failure(error), wasSent: error.reach != .notSent)
        }
        let (status, fields) = (answer.head.status.code, answer.head.headerFields)
        guard (200..<300).contains(status) else {
            let (page, isCut) = await answer.body.begun(
                upTo: ServiceFailure.bodyBytes,
                within: min(end.map(Self.left(until:)) ?? limits.progress, limits.progress)
            )
            var failure = evidence.failure(
                Task.isCancelled ? .cancelled : .refused,
                status: status,
                body: page
            )
            failure.isCut = isCut
            failure.retryAfter = [fields.retryAfter, wait(page)].compactMap(\.self).max()
            throw FailedAttempt(failure: failure)
        }
        guard call.admitsPages || fields[.contentType]?.lowercased().hasPrefix("text/html") != true else {
            let failure = evidence.failure(.untrusted, "a page of somebody in between", status: status)
            throw FailedAttempt(failure: failure)
        }
        return StreamedAnswer(head: answer.head, body: answer.body, evidence: evidence)
    }
}

extension Call {
    /// What is tried, for errors: without the query, which may hold a credential.
    fileprivate var operation: String { "\(method.rawValue) \(path.prefix { $0 != "?" })" }

    fileprivate func request(to address: ServiceAddress) -> HTTPRequest {
        var request = HTTPRequest(
            method: method,
            scheme: address.scheme,
            authority: address.authority,
            path: address.root + path,
            headerFields: headerFields
        )
        if request.headerFields[.accept] == nil { request.headerFields[.accept] = "application/json" }
        if case .empty = body {} else { request.headerFields[.contentType] = contentType }
        for credential in credentials {
            let value = credential.secret.reveal()
            request.headerFields[credential.name] = credential.scheme.map { "\($0) \(value)" } ?? value
        }
        return request
    }
}
