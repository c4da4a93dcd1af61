import Foundation
import HTTPTypes
import ObjectTransfer
import ServiceClient
import Services
import Transport

/// One call of the store for an object.
struct StorageCall: Sendable {
    let operation: ObjectOperation
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
        (self.key, self.configuration) = (key, configuration)
        let endpoint = try StorageEndpoint(configuration)
        self.endpoint = endpoint
        self.operation = ObjectOperation(operation, key, clearing: [endpoint.key])
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        // An upload takes as long as it moves.
        policy.deadline = nil
        self.tokens = tokens
        service = ServiceClient(client, policy: policy, tokens: tokens) { endpoint.project }
    }

    // MARK: Requests

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

    /// Sends a request, and reads the document that it is answered with.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - wanted: What the document is, for the error where it is something else.
    ///   - limit: The most bytes to accept.
    func document<Document: Decodable>(
        _ request: Call,
        _ wanted: String,
        upTo limit: Int = 65_536
    ) async throws(ObjectStoreError) -> Document {
        let answer = try await send(request)
        let body = try await operation.read(answer, upTo: limit, within: configuration.timeout)
        // A page of somebody in between, such as a captive portal, also comes with 200.
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(body)) else {
            throw error(.serverError, "HTTP \(answer.head.status.code), but not \(wanted)")
        }
        return document
    }

    func send(_ request: Call) async throws(ObjectStoreError) -> StreamedAnswer {
        do throws(ServiceFailure) { return try await open(request) } catch { throw self.error(error) }
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

    /// A request with a document.
    func request(at path: String, _ document: some Encodable) throws(ObjectStoreError) -> Call {
        var request = request(.post, at: path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { request.body = .bytes(Array(try encoder.encode(document))) } catch {
            throw self.error(.invalidRequest, "the request cannot be written as JSON")
        }
        return request
    }

    // MARK: Errors

    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        operation.error(code, detail)
    }

    /// What it means that a request had no success.
    func error(_ failure: ServiceFailure) -> ObjectStoreError {
        operation.error(failure, StorageRefusal(failure))
    }
}
