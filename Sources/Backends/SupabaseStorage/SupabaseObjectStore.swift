import Foundation
import HTTPTypes
public import ServiceClient
public import Services
public import Transport

/// Supabase Storage, over any HTTP client.
///
/// One call is one request, but for uploads in parts; nothing is retried here. A lost answer to `put` therefore shows as `network` or
/// `timedOut`, and a second `put` as `alreadyExists` when the first had taken effect.
///
/// Without address or key every call fails with `notConfigured`, and nothing is sent. No error ever holds the
/// key, also when a server echoes it.
///
/// Source: supabase/storage `src/http/routes/object`; error texts as in `ObjectStoreError.detail`.
public struct SupabaseObjectStore: ObjectStore {
    /// The body of an object's information: up to 1 MiB of user metadata, and what surrounds it.
    static let infoLengthMaximum = 2 << 20
    /// That of a receipt, and of what the service says to a removal.
    private static let wordLengthMaximum = 65_536

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
    public init(from secrets: any SecretStore, bucket: String, client: any HTTPClient) {
        self.init(client: client) { () throws(SecretStoreError) in
            try SupabaseConfiguration.read(from: secrets, bucket: bucket)
        }
    }

    /// Uploads an object under a new key, in one request.
    public func put(
        _ bytes: [UInt8],
        at key: ObjectKey,
        contentType: String
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        guard Self.isMediaType(contentType) else {
            throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
        }
        var request = call.request(.post, "object")
        request.body = .bytes(bytes)
        request.contentType = contentType
        request.headerFields[.cacheControl] = call.configuration.cacheControl
        request.set("x-upsert", "false")
        if call.configuration.sendsMetadata {
            let metadata = try Self.metadata(contentType, bytes.count, call)
            request.set("x-metadata", Data(metadata).base64EncodedString())
        }
        let answer = try await send(request, call)
        let body = try await call.read(answer, upTo: Self.wordLengthMaximum)
        // A page of somebody in between, such as a captive portal, also comes with 200.
        let receipt = try? JSONDecoder().decode(Receipt.self, from: Data(body))
        guard receipt?.Key == "\(call.endpoint.bucket)/\(key.path)" else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not a receipt for this object"
            )
        }
    }

    /// Downloads an object, giving up past the limit or the download timeout.
    public func get(_ key: ObjectKey, upTo limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let call = try prepare("get", key)
        // A page of HTML is none of the service, which serves even stored pages as plain text.
        let answer = try await send(call.request(.get, "object/authenticated"), call)
        guard answer.head.status == .ok else {
            throw call.error(.serverError, "HTTP \(answer.head.status.code), but not the whole object")
        }
        let declared = answer.head.headerFields[.contentLength].flatMap { Int($0) }
        if let declared, declared > limit {
            throw call.error(.tooLarge, "\(declared) bytes, and at most \(limit) were wanted")
        }
        let bytes = try await call.read(answer, upTo: limit, within: call.configuration.downloadTimeout)
        if let declared, declared != bytes.count {
            throw call.error(.network, "\(bytes.count) bytes of \(declared) arrived")
        }
        return bytes
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
        let body = try await call.read(answer, upTo: Self.infoLengthMaximum)
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
        let body = try await call.read(answer, upTo: Self.wordLengthMaximum)
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
        func unusable(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
            ObjectStoreError(code, operation: operation, key: key.path, detail: detail)
        }
        guard ObjectNaming.isKey(key.path) else {
            throw unusable(.invalidRequest, "the service does not accept this name")
        }
        let current: SupabaseConfiguration
        do { current = try configuration() } catch {
            throw unusable(.notConfigured, error.description)
        }
        do { return try StorageCall(operation, key, current, client, tokens) } catch {
            throw unusable(.notConfigured, error.detail)
        }
    }

    private func send(_ request: Call, _ call: StorageCall) async throws(ObjectStoreError) -> StreamedAnswer {
        do throws(ServiceFailure) { return try await call.open(request) } catch {
            throw call.error(error)
        }
    }

    // MARK: Values on the wire

    /// Whether a text is `type/subtype` with optional parameters, in visible ASCII.
    static func isMediaType(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.utf8.count <= 255 else {
            return false
        }
        let essence = text.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        let marks = Set("!#$&^_.+-")
        return essence.count == 2
            && essence.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
            }
    }

    /// The user metadata of an upload: a JSON object.
    static func metadata(
        _ contentType: String,
        _ size: Int,
        _ call: StorageCall
    ) throws(ObjectStoreError) -> [UInt8] {
        let created = Date().formatted(.iso8601)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let metadata = UploadMetadata(type: contentType, createdAt: created, size: size)
            return Array(try encoder.encode(metadata))
        } catch {
            throw call.error(.invalidRequest, "the metadata cannot be written as JSON")
        }
    }
}

private struct UploadMetadata: Encodable {
    let type: String
    /// ISO 8601.
    let createdAt: String
    /// Bytes.
    let size: Int
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

    var info: ObjectInfo {
        var tag = etag ?? ""
        if tag.hasPrefix("W/") { tag.removeFirst(2) }
        return ObjectInfo(
            size: size,
            contentType: content_type ?? "application/octet-stream",
            entityTag: tag.filter { $0 != "\"" }
        )
    }
}
