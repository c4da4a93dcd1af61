import Foundation
import HTTPTypes
import ObjectTransfer
public import ServiceClient
public import Services
public import Transport

/// Supabase Storage, over any HTTP client.
///
/// One call is one request, but for uploads in parts; nothing else is retried here. A lost answer to `put` therefore shows as `network`
/// or `timedOut`, and a second `put` as `alreadyExists` when the first had taken effect.
///
/// Without address or key every call fails with `notConfigured`, and nothing is sent. No error ever holds the
/// key, also when a server echoes it.
///
/// Source: supabase/storage `src/http/routes/object`; error texts as in `ObjectStoreError.detail`.
public struct SupabaseObjectStore: ObjectStore {
    /// The body of an object's information: up to 1 MiB of user metadata, and what surrounds it.
    static let infoLengthMaximum = 2 << 20

    private let configuration: @Sendable () throws(SecretStoreError) -> SupabaseConfiguration
    private let client: any HTTPClient
    private let tokens: BearerTokens?

    /// Makes a store whose configuration does not change.
    public init(_ configuration: SupabaseConfiguration, client: any HTTPClient) {
        self.init(client: client) { () throws(SecretStoreError) in configuration }
    }

    /// Makes a store that asks for its configuration before each request, so that a key that a person has just
    /// entered is used at once.
    ///
    /// - Parameters:
    ///   - client: Makes the requests.
    ///   - tokens: Tokens of a signed-in user, such as those of ``SupabaseSignIn``; without them the key of the configuration
    ///     speaks for itself.
    ///   - configuration: Is asked before each request.
    public init(
        client: any HTTPClient,
        tokens: BearerTokens? = nil,
        configuration: @escaping @Sendable () throws(SecretStoreError) -> SupabaseConfiguration
    ) {
        self.client = client
        self.tokens = tokens
        self.configuration = configuration
    }

    /// Makes a store that reads address and key from a secret store before each request, under
    /// ``SupabaseConfiguration/projectURLName`` and ``SupabaseConfiguration/keyName``.
    ///
    /// - Parameters:
    ///   - secrets: Has both; without one of them every call fails with `notConfigured`, and nothing is sent.
    ///   - bucket: The bucket of all objects.
    ///   - client: Makes the requests.
    ///   - parts: How large objects are uploaded in parts.
    public init(
        from secrets: any SecretStore,
        bucket: String,
        client: any HTTPClient,
        parts: UploadParts = UploadParts()
    ) {
        self.init(client: client) { () throws(SecretStoreError) in
            var configuration = try SupabaseConfiguration.read(from: secrets, bucket: bucket)
            configuration.parts = parts
            return configuration
        }
    }

    /// All but conditional puts: the service knows only whether a key may be taken.
    public var abilities: Set<ObjectStoreAbility> {
        [.list, .copy, .move, .signedAddresses, .metadata, .checkpoints]
    }

    /// Stores an object: in one request, or, where it is larger than ``UploadParts/length``, in parts.
    ///
    /// An upload in parts goes by TUS 1.0. After a failure it asks the service how far it has come, also after one that may have taken
    /// effect, and sends the rest; it is started again where the service has forgotten it. ``SupabaseConfiguration/parts`` says how often.
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
        if case .matches = options.condition {
            throw call.error(
                .unsupported,
                "the service does not compare entity tags before it stores an object"
            )
        }
        guard content.size <= call.configuration.parts.length else {
            return try await putInParts(content, at: key, options, report)
        }
        var request = call.request(.post, "object")
        let body: ContentBody
        do throws(ObjectContentError) {
            body = try await content.body { sent in
                // A report that fails is heard after the request.
                try? await report?(UploadProgress(sent: sent, size: content.size))
            }
        } catch { throw call.error(.unreadable, error.detail) }
        request.body = body.body
        request.contentType = options.contentType
        request.headerFields[.cacheControl] = options.cacheControl ?? call.configuration.cacheControl
        request.set("x-upsert", options.replaces)
        if !options.metadata.isEmpty {
            request.set("x-metadata", Data(try Self.json(options.metadata, call)).base64EncodedString())
        }
        let receipt: Receipt
        do throws(ObjectStoreError) {
            receipt = try await call.document(request, "a receipt for this object")
        } catch { throw call.operation.error(error, sending: body) }
        guard receipt.Key == "\(call.endpoint.bucket)/\(key.path)" else {
            throw call.error(.serverError, "a receipt, but not for this object")
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
        // A page of HTML is none of the service, which serves even stored pages as plain text.
        var request = call.request(.get, "object/authenticated")
        if let range { request.set("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
        let answer = try await call.send(request)
        let isMeasured = answer.head.headerFields[.contentLength] != nil
        let whole = isMeasured ? nil : try await info(key)?.size
        guard let part = AnsweredRange(answer.head, asked: range, whole: whole, needsTag: false) else {
            throw call.error(.serverError, "HTTP \(answer.head.status.code), but not the object")
        }
        return try await call.operation.stream(
            answer,
            part.info,
            part.range,
            within: call.configuration.downloadTimeout
        )
    }

    /// Asks for an object's information; only the service's own word makes it absent.
    public func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        let call = try prepare("info", key)
        let answer: StreamedAnswer
        do throws(ServiceFailure) {
            answer = try await call.open(call.request(.get, "object/info"))
        } catch {
            if StorageRefusal(error)?.meansObjectAbsent == true { return nil }
            throw call.error(error)
        }
        let body = try await call.operation.read(
            answer,
            upTo: Self.infoLengthMaximum,
            within: call.configuration.timeout
        )
        guard let row = try? JSONDecoder().decode(InfoRow.self, from: Data(body)), row.size >= 0 else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not the object's information"
            )
        }
        return row.info
    }

    /// Removes an object; one that is not there is no error.
    ///
    /// The service answers the same to a key that may not remove as for an absent object, so that its word is checked with a second
    /// request.
    public func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        let call = try prepare("remove", key)
        let answer: StreamedAnswer
        do throws(ServiceFailure) {
            answer = try await call.open(call.request(.delete, "object"))
        } catch {
            guard StorageRefusal(error)?.meansObjectAbsent == true else { throw call.error(error) }
            guard try await info(key) != nil else { return }
            throw call.error(.unauthorized, "the object is there, and this key may not remove it")
        }
        let body = try await call.operation.read(answer, upTo: 65_536, within: call.configuration.timeout)
        // A page of somebody in between, such as a captive portal, also comes with 200.
        guard (try? JSONDecoder().decode(Removal.self, from: Data(body)))?.message == Removal.done else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not the word that the object is removed"
            )
        }
    }

    /// The address at which a public bucket serves the object.
    public func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        let endpoint = try prepare("publicURL", key).endpoint
        return endpoint.project.description + endpoint.path("object/public", key)
    }

    // MARK: Requests

    func prepare(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> StorageCall {
        guard ObjectNaming.isKey(key.path) else {
            throw ObjectOperation(operation, key)
                .error(.invalidRequest, "the service does not accept this name")
        }
        return try prepareAny(operation, key)
    }

    /// A call that is not for one object, and whose key may be any text.
    func prepareAny(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> StorageCall {
        let unusable = ObjectOperation(operation, key)
        let current: SupabaseConfiguration
        do { current = try configuration() } catch {
            throw unusable.error(.notConfigured, error.description)
        }
        do { return try StorageCall(operation, key, current, client, tokens) } catch {
            throw unusable.error(.notConfigured, error.detail)
        }
    }

    /// The user metadata of an upload: a JSON object.
    static func json(
        _ metadata: [String: String],
        _ call: StorageCall
    ) throws(ObjectStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(metadata)) } catch {
            throw call.error(.invalidRequest, "the metadata cannot be written as JSON")
        }
    }
}

extension PutOptions {
    /// The value of `x-upsert`.
    var replaces: String { condition == .any ? "true" : "false" }
}

/// The answer to an upload; its field begins with a capital.
private struct Receipt: Decodable {
    let Key: String
}

/// The answer to a removal (supabase/storage, `src/http/routes/object/deleteObject.ts`).
private struct Removal: Decodable {
    static let done = "Successfully deleted"

    let message: String
}

private struct InfoRow: Decodable {
    let size: Int
    let content_type: String?
    let etag: String?
    let metadata: [String: JSONText]?

    var info: ObjectInfo {
        ObjectInfo(
            size: size,
            contentType: content_type ?? "application/octet-stream",
            entityTag: StoreText.entityTag(etag ?? ""),
            metadata: (metadata ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value.text }
        )
    }
}

/// A value that others may have written in another form; what is no text, number or truth value is left out.
private struct JSONText: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        text =
            (try? value.decode(String.self)) ?? (try? value.decode(Int.self)).map { "\($0)" }
            ?? (try? value.decode(Double.self)).map { "\($0)" }
            ?? (try? value.decode(Bool.self)).map { "\($0)" }
    }
}
