internal import AWSSignature
internal import Foundation
internal import HTTPTypes
internal import ServiceClient
public import Services
public import Transport

/// A bucket of S3, or of a service that speaks its protocol, over any HTTP client.
///
/// One call is one request, but for objects of more than ``S3Configuration/largestSinglePut`` bytes; nothing is retried here. A
/// key is written only where it is new (`If-None-Match: *`); a service that passes over this condition replaces what is there. A lost answer to `put` therefore shows as `network` or `timedOut`, and a
/// second `put` as `alreadyExists` when the first had taken effect.
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

    /// Uploads an object under a new key: in one request, or in parts where it is large.
    ///
    /// An upload in parts that fails is aborted, as far as the service can be reached; see
    /// ``S3UploadCheckpoint`` for one that goes on later.
    public func put(
        _ bytes: [UInt8],
        at key: ObjectKey,
        contentType: String
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        guard Self.isMediaType(contentType) else {
            throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
        }
        guard bytes.count <= call.configuration.largestSinglePut else {
            return try await putInParts(bytes, at: key, contentType: contentType)
        }
        let request = try call.request(
            .put,
            fields: Self.fields(call.configuration).merging(["if-none-match": "*"]) { $1 },
            body: (bytes, contentType)
        )
        let answer = try await call.send(request)
        guard answer.head.headerFields[.eTag]?.isEmpty == false else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not a receipt for this object"
            )
        }
    }

    /// Downloads an object, giving up past the limit or the download timeout.
    public func get(_ key: ObjectKey, upTo limit: Int) async throws(ObjectStoreError) -> [UInt8] {
        let call = try prepare("get", key)
        let answer = try await call.send(call.request(.get))
        // A page of somebody in between, such as a captive portal, also comes with 200.
        guard answer.head.status == .ok, answer.head.headerFields[.eTag]?.isEmpty == false else {
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
            if let info = Self.info(answer.head) { return info }
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

    // MARK: Signed addresses

    /// The address at which anybody may read the object for a time, also where its bucket is not public.
    ///
    /// Does not ask the service.
    ///
    /// - Parameters:
    ///   - key: Of an object that may not be there yet.
    ///   - lifetime: Seconds, 1 to 604 800; temporary keys may end before.
    /// - Throws: `notConfigured` and `invalidRequest`.
    public func readAddress(of key: ObjectKey, lifetime: Int) throws(ObjectStoreError) -> String {
        let call = try prepare("readAddress", key)
        return try call.presigned(.get, fields: [:], lifetime: Self.checked(lifetime, call))
    }

    /// The address at which anybody may put the object for a time, with this very media type.
    ///
    /// Does not ask the service.
    ///
    /// - Parameters:
    ///   - key: Where; an object that is there already is replaced.
    ///   - contentType: Whoever puts the object sends it as `Content-Type`.
    ///   - lifetime: Seconds, 1 to 604 800; temporary keys may end before.
    /// - Throws: `notConfigured` and `invalidRequest`.
    public func writeAddress(
        of key: ObjectKey,
        contentType: String,
        lifetime: Int
    ) throws(ObjectStoreError) -> String {
        let call = try prepare("writeAddress", key)
        guard Self.isMediaType(contentType) else {
            throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
        }
        return try call.presigned(
            .put,
            fields: [.contentType: contentType],
            lifetime: Self.checked(lifetime, call)
        )
    }

    private static func checked(_ lifetime: Int, _ call: S3Call) throws(ObjectStoreError) -> Int {
        guard (1...604_800).contains(lifetime) else {
            throw call.error(
                .invalidRequest,
                "an address is good for 1 to 604800 seconds, not for \(lifetime)"
            )
        }
        return lifetime
    }

    // MARK: Requests

    func prepare(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> S3Call {
        func unusable(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
            ObjectStoreError(code, operation: operation, key: key.path, detail: detail)
        }
        guard S3Naming.isKey(key.path) else {
            throw unusable(.invalidRequest, "the service does not accept this name")
        }
        let current: S3Configuration
        do { current = try configuration() } catch { throw unusable(.notConfigured, error.description) }
        do { return try S3Call(operation, key, current, client) } catch {
            throw unusable(.notConfigured, error.detail)
        }
    }

    /// What an upload says of the object besides its type.
    static func fields(_ configuration: S3Configuration) -> [String: String] {
        configuration.cacheControl.map { ["cache-control": $0] } ?? [:]
    }

    private static func info(_ head: HTTPResponse) -> ObjectInfo? {
        guard head.status == .ok, let size = head.headerFields[.contentLength].flatMap({ Int($0) }),
            size >= 0,
            var tag = head.headerFields[.eTag]
        else { return nil }
        if tag.hasPrefix("W/") { tag.removeFirst(2) }
        return ObjectInfo(
            size: size,
            contentType: head.headerFields[.contentType] ?? "application/octet-stream",
            entityTag: tag.filter { $0 != "\"" }
        )
    }

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
}
