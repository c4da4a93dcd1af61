import HTTPTypes
import ServiceClient
import Services
import Transport

/// One call of the store for an object.
struct StorageCall: Sendable {
    let operation: String
    let key: ObjectKey
    let configuration: SupabaseConfiguration
    let endpoint: StorageEndpoint
    private let service: ServiceClient
    /// Tokens of a signed-in user; `nil` to use the key alone.
    private let tokens: BearerTokens?

    init(
        _ operation: String,
        _ key: ObjectKey,
        _ configuration: SupabaseConfiguration,
        _ client: any HTTPClient,
        _ tokens: BearerTokens?
    ) throws(StorageEndpoint.Unusable) {
        (self.operation, self.key, self.configuration) = (operation, key, configuration)
        let endpoint = try StorageEndpoint(configuration)
        self.endpoint = endpoint
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        // An upload takes as long as it moves.
        policy.deadline = nil
        self.tokens = tokens
        service = ServiceClient(client, policy: policy, tokens: tokens) { endpoint.project }
    }

    /// Sends a request, and returns as soon as its answer has begun.
    ///
    /// One whose token the service takes for expired is sent a second time with another: clocks may differ.
    func open(_ request: Call) async throws(ServiceFailure) -> StreamedAnswer {
        guard let tokens else { return try await service.open(request) }
        let sent = try await signedIn { () async throws(ServiceFailure) in try await tokens.valid() }
        do throws(ServiceFailure) { return try await service.open(request) } catch {
            guard StorageRefusal(error)?.meansTokenExpired == true, request.body.isRepeatable else {
                throw error
            }
        }
        _ = try await signedIn { () async throws(ServiceFailure) in try await tokens.renewed(after: sent) }
        return try await service.open(request)
    }

    /// A token, or why there is none: what the service refuses then is the person, not the request.
    private func signedIn(
        _ token: () async throws(ServiceFailure) -> BearerToken
    ) async throws(ServiceFailure) -> BearerToken {
        do throws(ServiceFailure) { return try await token() } catch {
            guard error.code == .refused, [400, 422].contains(error.status ?? 0) else { throw error }
            var failure = error
            failure.status = 401
            throw failure
        }
    }

    /// A request for the object, with the credentials.
    func request(_ method: HTTPRequest.Method, _ route: String) -> Call {
        request(method, at: endpoint.path(route, key))
    }

    /// A request with the credentials.
    func request(_ method: HTTPRequest.Method, at path: String) -> Call {
        var request = Call(method, path, repeats: .whenNothingWasSent)
        request.headerFields[.accept] = "*/*"
        if tokens == nil { request.carry(endpoint.key, in: "Authorization", scheme: "Bearer") }
        request.carry(endpoint.key, in: "apikey")
        return request
    }

    /// Reads an answer whole.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to accept.
    ///   - time: The longest that it may take; `nil` for that of a request.
    func read(
        _ answer: StreamedAnswer,
        upTo limit: Int,
        within time: Duration? = nil
    ) async throws(ObjectStoreError) -> [UInt8] {
        do throws(ServiceFailure) {
            return try await answer.read(upTo: limit, within: time ?? configuration.timeout)
        } catch {
            throw self.error(Self.code(of: error), error.detail)
        }
    }

    /// An error of this call; whatever comes from outside is cleared of the key.
    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        ObjectStoreError(
            code,
            operation: operation,
            key: key.path,
            detail: endpoint.key.redacted(from: detail)
        )
    }

    /// What it means that a request had no success.
    func error(_ failure: ServiceFailure) -> ObjectStoreError {
        if let refusal = StorageRefusal(failure) {
            var error = error(refusal.code, refusal.detail)
            error.retryAfter = failure.retryAfter
            return error
        }
        // A captive portal goes away, another server does not.
        if failure.code == .untrusted, let status = failure.status {
            return error(.serverError, "HTTP \(status), but \(failure.detail)")
        }
        return error(Self.code(of: failure), failure.detail)
    }

    private static func code(of failure: ServiceFailure) -> ObjectStoreError.Code {
        switch failure.code {
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .tooLarge: .tooLarge
        case .untrusted: .untrusted
        case .unreachable, .interrupted: .network
        case .notConfigured, .signedOut: .notConfigured
        case .refused, .malformed: .serverError
        }
    }
}
