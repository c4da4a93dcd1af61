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
    let service: ServiceClient

    init(
        _ operation: String,
        _ key: ObjectKey,
        _ configuration: SupabaseConfiguration,
        _ client: any HTTPClient
    ) throws(StorageEndpoint.Unusable) {
        (self.operation, self.key, self.configuration) = (operation, key, configuration)
        let endpoint = try StorageEndpoint(configuration)
        self.endpoint = endpoint
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        // An upload takes as long as it moves.
        policy.deadline = nil
        service = ServiceClient(client, policy: policy) { endpoint.project }
    }

    /// A request with the credentials.
    func request(_ method: HTTPRequest.Method, _ route: String) -> Call {
        var request = Call(method, endpoint.path(route, key), repeats: .whenNothingWasSent)
        request.headerFields[.accept] = "*/*"
        request.carry(endpoint.key, in: "Authorization", scheme: "Bearer")
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
