import AWSSignature
import Foundation
import HTTPTypes
import ObjectTransfer
import PlainXML
import ServiceClient
import Services
import Transport

/// One call of the store for an object.
struct S3Call: Sendable {
    /// Documents of the service that carry no object: a list of 1,000 keys of 1 KiB, escaped threefold, with what surrounds them.
    static let documentLengthMaximum = 4 << 20

    /// What a request carries.
    struct Body: Sendable {
        let body: HTTPBody
        let payload: SignedPayload
        let contentType: String
        /// What is read while it is sent.
        private(set) var content: ContentBody?

        /// A body in memory.
        init(_ bytes: [UInt8], _ contentType: String) {
            (body, payload, self.contentType) = (.bytes(bytes), .of(bytes), contentType)
        }

        /// Content with that SHA-256.
        init(_ content: ContentBody, digest: String, _ contentType: String) {
            (body, payload, self.contentType, self.content) = (
                content.body, .hash(digest), contentType, content
            )
        }
    }

    let operation: ObjectOperation
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
        (self.key, self.configuration) = (key, configuration)
        let endpoint = try S3Endpoint(configuration)
        self.endpoint = endpoint
        self.operation = ObjectOperation(operation, key, clearing: endpoint.secrets)
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        // An upload takes as long as it moves.
        policy.deadline = nil
        service = ServiceClient(client, policy: policy) { endpoint.address }
    }

    private var signer: RequestSigner { RequestSigner(endpoint.credentials, region: endpoint.region) }
    private var now: SigningTime { SigningTime(seconds: Int64(Date().timeIntervalSince1970.rounded(.down))) }

    // MARK: Requests

    /// A signed request for the object.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - query: Without `?`.
    ///   - fields: Signed as they are.
    ///   - body: For methods that carry one.
    func request(
        _ method: HTTPRequest.Method,
        query: String = "",
        fields: [String: String] = [:],
        body: Body? = nil
    ) throws(ObjectStoreError) -> Call {
        try signed(method, endpoint.path(key) + (query.isEmpty ? "" : "?" + query), fields, body)
    }

    /// A signed request for the bucket.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - query: Without `?`.
    func request(_ method: HTTPRequest.Method, inBucket query: String) throws(ObjectStoreError) -> Call {
        try signed(method, endpoint.bucketPath + "?" + query, [:], nil)
    }

    private func signed(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: [String: String],
        _ body: Body?
    ) throws(ObjectStoreError) -> Call {
        var call = Call(
            method,
            path,
            body: body?.body ?? .empty,
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
        guard let signed = signer.sign(&sent, payload: body?.payload ?? .of([]), at: now) else {
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

    /// A part of content, as the body of a request: read once for its signature, and a second time while it is sent.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - range: The part.
    ///   - contentType: A media type.
    ///   - sent: Is called with the end of each piece that is on its way.
    func body(
        of content: ObjectContent,
        _ range: Range<Int>,
        _ contentType: String,
        sent: @escaping @Sendable (Int) async -> Void
    ) async throws(ObjectStoreError) -> Body {
        do throws(ObjectContentError) {
            let body = try await content.body(range, sent: sent)
            if case .bytes(let bytes) = body.body { return Body(bytes, contentType) }
            return Body(body, digest: try await content.digest(range), contentType)
        } catch {
            throw self.error(.unreadable, error.detail)
        }
    }

    /// What is said of an object besides its type.
    func fields(_ options: PutOptions) -> [String: String] {
        var fields: [String: String] = [:]
        fields["cache-control"] = options.cacheControl ?? configuration.cacheControl
        for (name, value) in options.metadata { fields["x-amz-meta-" + name.lowercased()] = value }
        return fields
    }

    // MARK: Sending

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - condition: What the request requires of the object.
    ///   - body: What it carries, where that is content.
    func send(
        _ request: Call,
        _ condition: PutOptions.Condition = .absent,
        _ body: Body? = nil
    ) async throws(ObjectStoreError) -> StreamedAnswer {
        var request = request
        if case .matches = condition { request.body = try await once(request.body) }
        do throws(ServiceFailure) { return try await service.open(request) } catch {
            let error = judged(self.error(error), S3Refusal(error), condition)
            throw operation.error(error, sending: body?.content)
        }
    }

    /// A body that comes once: no layer below sends the request a second time, which would fail because of the first.
    func once(_ body: HTTPBody) async throws(ObjectStoreError) -> HTTPBody {
        do throws(TransportError) { return .stream(try await body.chunks(), length: body.length) } catch {
            throw self.error(.unreadable, error.detail)
        }
    }

    /// Sends a request, and reads the document that it is answered with.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - name: The first element; an error may come with 200 instead of it.
    ///   - condition: What the request requires of the object.
    func document(
        _ request: Call,
        _ name: String,
        _ condition: PutOptions.Condition = .absent
    ) async throws(ObjectStoreError) -> PlainElement {
        let answer = try await send(request, condition)
        let body = try await operation.read(
            answer,
            upTo: Self.documentLengthMaximum,
            within: configuration.timeout
        )
        let status = answer.head.status.code
        guard let element = try? PlainElement(reading: body) else {
            throw error(.serverError, "HTTP \(status), but not a document of the service")
        }
        if element.name == "Error" {
            let refusal = S3Refusal(status: status, body: body)
            throw judged(error(refusal.code, refusal.detail), refusal, condition)
        }
        guard element.name == name else {
            throw error(.serverError, "HTTP \(status), but another document than \(name)")
        }
        return element
    }

    // MARK: Errors

    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        operation.error(code, detail)
    }

    /// What it means that a request had no success.
    func error(_ failure: ServiceFailure) -> ObjectStoreError {
        operation.error(failure, S3Refusal(failure))
    }

    /// The service has one word for all conditions, and says of an absent object that it is not there.
    private func judged(
        _ error: ObjectStoreError,
        _ refusal: S3Refusal?,
        _ condition: PutOptions.Condition
    ) -> ObjectStoreError {
        guard case .matches = condition, error.code == .alreadyExists || refusal?.meansObjectAbsent == true
        else { return error }
        var error = error
        error.code = .conditionFailed
        return error
    }
}
