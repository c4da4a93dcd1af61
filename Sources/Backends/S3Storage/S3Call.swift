import AWSSignature
import Foundation
import HTTPTypes
import PlainXML
import ServiceClient
import Services
import Transport

/// One call of the store for an object.
struct S3Call: Sendable {
    /// Documents of the service that carry no object.
    static let documentLengthMaximum = 1 << 20

    let operation: String
    let key: ObjectKey
    let configuration: S3Configuration
    let endpoint: S3Endpoint
    let service: ServiceClient

    init(
        _ operation: String,
        _ key: ObjectKey,
        _ configuration: S3Configuration,
        _ client: any HTTPClient
    ) throws(S3Endpoint.Unusable) {
        (self.operation, self.key, self.configuration) = (operation, key, configuration)
        let endpoint = try S3Endpoint(configuration)
        self.endpoint = endpoint
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        // An upload takes as long as it moves.
        policy.deadline = nil
        service = ServiceClient(client, policy: policy) { endpoint.address }
    }

    private var signer: RequestSigner { RequestSigner(endpoint.credentials, region: endpoint.region) }
    private var now: SigningTime { SigningTime(seconds: Int64(Date().timeIntervalSince1970.rounded(.down))) }

    /// A signed request for the object.
    ///
    /// - Parameters:
    ///   - query: Without `?`.
    ///   - fields: Signed as they are.
    ///   - body: Of a media type, for methods that carry one.
    func request(
        _ method: HTTPRequest.Method,
        query: String = "",
        fields: [String: String] = [:],
        body: (bytes: [UInt8], contentType: String)? = nil
    ) throws(ObjectStoreError) -> Call {
        let path = endpoint.path(key) + (query.isEmpty ? "" : "?" + query)
        var call = Call(
            method,
            path,
            body: body.map { .bytes($0.bytes) } ?? .empty,
            contentType: body?.contentType ?? "",
            repeats: .whenNothingWasSent
        )
        // Objects may be pages; what is of the service has an entity tag, is a document of its own, or has no content.
        call.admitsPages = true
        for (name, value) in fields { call.set(name, value) }
        // As it goes out: with the fields that the client of services sets by itself.
        var sent = HTTPRequest(
            method: method,
            scheme: endpoint.address.scheme,
            authority: endpoint.address.authority,
            path: endpoint.address.root + path,
            headerFields: call.headerFields
        )
        if let body { sent.headerFields[.contentType] = body.contentType }
        guard let signed = signer.sign(&sent, payload: .of(body?.bytes ?? []), at: now) else {
            throw error(.invalidRequest, "the request cannot be signed")
        }
        for name in ["x-amz-date", "x-amz-content-sha256"] {
            if let value = HTTPField.Name(name).flatMap({ sent.headerFields[$0] }) { call.set(name, value) }
        }
        if let token = endpoint.credentials.sessionToken { call.carry(token, in: "x-amz-security-token") }
        call.carry(Secret(signed.authorization), in: "Authorization")
        call.headerFields[.accept] = "*/*"
        return call
    }

    /// The address at which anybody may do one thing with the object for a time.
    func presigned(
        _ method: HTTPRequest.Method,
        fields: HTTPFields,
        lifetime: Int
    ) throws(ObjectStoreError) -> String {
        let address = endpoint.address
        let request = HTTPRequest(
            method: method,
            scheme: address.scheme,
            authority: address.authority,
            path: address.root + endpoint.path(key),
            headerFields: fields
        )
        guard let path = signer.presign(request, lifetime: lifetime, at: now) else {
            throw error(.invalidRequest, "the request cannot be signed")
        }
        return "\(address.scheme)://\(address.authority)\(path)"
    }

    // MARK: Sending

    func send(_ request: Call) async throws(ObjectStoreError) -> StreamedAnswer {
        do throws(ServiceFailure) { return try await service.open(request) } catch { throw self.error(error) }
    }

    /// Sends a request, and reads the document that it is answered with.
    ///
    /// - Parameter name: The first element; an error may come with 200 instead of it.
    func document(_ request: Call, _ name: String) async throws(ObjectStoreError) -> PlainElement {
        let answer = try await send(request)
        let body = try await read(answer, upTo: Self.documentLengthMaximum)
        let status = answer.head.status.code
        guard let element = try? PlainElement(reading: body) else {
            throw error(.serverError, "HTTP \(status), but not a document of the service")
        }
        if element.name == "Error" {
            let refusal = S3Refusal(status: status, body: body)
            throw error(refusal.code, refusal.detail)
        }
        guard element.name == name else {
            throw error(.serverError, "HTTP \(status), but another document than \(name)")
        }
        return element
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

    // MARK: Errors

    /// An error of this call; whatever comes from outside is cleared of the keys.
    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        let clean = endpoint.secrets.reduce(detail) { $1.redacted(from: $0) }
        return ObjectStoreError(code, operation: operation, key: key.path, detail: clean)
    }

    /// What it means that a request had no success.
    func error(_ failure: ServiceFailure) -> ObjectStoreError {
        if let refusal = S3Refusal(failure) {
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
