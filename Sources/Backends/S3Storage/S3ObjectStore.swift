internal import AWSSignature
internal import Foundation
internal import HTTPTypes
internal import ObjectTransfer
internal import ServiceClient
public import Services
public import Transport

/// A bucket of S3, or of a service that speaks its protocol, over any HTTP client.
///
/// One call is one request, but for objects of more than ``S3Configuration/largestSinglePut`` bytes; nothing is retried here. A lost
/// answer to `put` therefore shows as `network` or `timedOut`, and a second `put` as `alreadyExists` when the first had taken effect.
///
/// A new key is written with the condition `If-None-Match: *`; a service that passes over it replaces what is there.
///
/// Without address or keys every call fails with `notConfigured`, and nothing is sent. No error ever holds a secret key, also when a
/// server echoes it.
///
/// Source: AWS, API reference of S3; error texts as in `ObjectStoreError.detail`.
public struct S3ObjectStore: ObjectStore {
    private let configuration: @Sendable () throws(SecretStoreError) -> S3Configuration
    private let client: any HTTPClient

    /// Makes a store whose configuration does not change.
    public init(_ configuration: S3Configuration, client: any HTTPClient) {
        self.init(client: client) { () throws(SecretStoreError) in configuration }
    }

    /// Makes a store that asks for its configuration before each request, so that keys that a person has just entered, or temporary
    /// ones that were renewed, are used at once.
    public init(
        client: any HTTPClient,
        configuration: @escaping @Sendable () throws(SecretStoreError) -> S3Configuration
    ) {
        self.client = client
        self.configuration = configuration
    }

    /// Makes a store that reads address and keys from a secret store before each request; see
    /// ``S3Configuration/read(from:bucket:)``.
    public init(from secrets: any SecretStore, bucket: String, client: any HTTPClient) {
        self.init(client: client) { () throws(SecretStoreError) in
            try S3Configuration.read(from: secrets, bucket: bucket)
        }
    }

    /// All but moves: the service has no step that does both halves of one.
    public var abilities: Set<ObjectStoreAbility> {
        [.list, .copy, .conditionalPut, .signedAddresses, .metadata, .checkpoints]
    }

    /// Stores an object: in one request, or in parts where it is large.
    ///
    /// An upload in parts that fails stays at the service where a `report` has its checkpoint, and the service bills it until it goes on or
    /// is given to ``discard(_:)``.
    public func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        guard StoreText.isMediaType(options.contentType) else {
            throw call.error(.invalidRequest, "“\(options.contentType)” is not a media type")
        }
        guard StoreText.isMetadata(options.metadata) else {
            throw call.error(.invalidRequest, "the metadata has names or values that cannot be sent")
        }
        guard content.size <= call.configuration.largestSinglePut else {
            return try await putInParts(content, call, options, report)
        }
        let body = try await call.body(of: content, 0..<content.size, options.contentType) { sent in
            // A report that fails is heard after the request.
            try? await report?(UploadProgress(sent: sent, size: content.size))
        }
        let fields = call.fields(options).merging(options.conditionFields) { $1 }
        let request = try call.request(.put, fields: fields, body: body)
        let answer = try await call.send(request, options.condition, body)
        guard answer.head.headerFields[.eTag]?.isEmpty == false else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not a receipt for this object"
            )
        }
        try await call.operation.reporting(
            UploadProgress(sent: content.size, size: content.size),
            to: report
        )
    }

    /// Reads an object, or a part of it, until the download timeout.
    public func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        let call = try prepare("get", key)
        if let range, range.isEmpty {
            guard let info = try await info(key) else { throw call.error(.notFound, "there is no object") }
            return ObjectStream(info, range: range) { nil }
        }
        let fields = range.map { ["range": "bytes=\($0.lowerBound)-\($0.upperBound - 1)"] } ?? [:]
        let answer = try await call.send(call.request(.get, fields: fields))
        // A page of somebody in between, such as a captive portal, also comes with 200.
        guard let part = AnsweredRange(answer.head, asked: range) else {
            throw call.error(.serverError, "HTTP \(answer.head.status.code), but not the object")
        }
        return try await call.operation.stream(
            answer,
            part.info,
            part.range,
            within: call.configuration.downloadTimeout
        )
    }

    /// Asks for an object's head; only the service's own word makes it absent.
    ///
    /// The answer to an absent object's head has no body, in which the word would be: a second request brings it.
    public func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        let call = try prepare("info", key)
        let (head, start) = (try call.request(.head), try call.request(.get, fields: ["range": "bytes=0-0"]))
        let answer: StreamedAnswer?
        do throws(ServiceFailure) { answer = try await call.service.open(head) } catch {
            guard error.status == 404 else { throw call.error(error) }
            answer = nil
        }
        if let answer {
            if let found = AnsweredRange(answer.head, asked: nil) { return found.info }
            throw call.error(.serverError, "HTTP \(answer.head.status.code), but not the object's head")
        }
        do throws(ServiceFailure) { _ = try await call.service.open(start) } catch {
            if S3Refusal(error)?.meansObjectAbsent == true { return nil }
            throw call.error(error)
        }
        throw call.error(.serverError, "the object came between two questions")
    }

    /// Removes an object; one that is not there is no error.
    public func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        let call = try prepare("remove", key)
        let answer = try await call.send(call.request(.delete))
        guard answer.head.status == .noContent else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not the word that the object is removed"
            )
        }
    }

    /// The address at which a public bucket serves the object.
    public func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        try prepare("publicURL", key).endpoint.publicAddress(key)
    }

    // MARK: Requests

    func prepare(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> S3Call {
        guard StoreText.isKey(key.path) else {
            throw ObjectOperation(operation, key)
                .error(.invalidRequest, "the service does not accept this name")
        }
        return try prepareAny(operation, key)
    }

    /// A call that is not for one object, and whose key may be any text.
    func prepareAny(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> S3Call {
        let unusable = ObjectOperation(operation, key)
        let current: S3Configuration
        do { current = try configuration() } catch {
            throw unusable.error(.notConfigured, error.description)
        }
        do { return try S3Call(operation, key, current, client) } catch {
            throw unusable.error(.notConfigured, error.detail)
        }
    }
}

extension PutOptions {
    /// The condition as the service reads it.
    var conditionFields: [String: String] {
        switch condition {
        case .absent: ["if-none-match": "*"]
        case .any: [:]
        case .matches(let tag): ["if-match": "\"\(tag)\""]
        }
    }
}
