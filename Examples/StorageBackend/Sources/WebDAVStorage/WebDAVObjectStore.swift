import HTTPTypes
import ObjectTransfer
import ServiceClient
public import Services
public import Transport

/// Objects in a folder of a WebDAV server, over any HTTP client (RFC 4918).
///
/// One call is one request, where no folder has to be made; nothing is retried here. A lost answer to `put` shows as `network` or
/// `timedOut`, and a second `put` as `alreadyExists` when the first had taken effect.
///
/// What the store guarantees rests on the server: it has to store a body whole or not at all, keep conditions, and have entity tags. Many tell the media
/// type of an object by the ending of its name, whatever was said with it; keys should have one.
public struct WebDAVObjectStore: ObjectStore {
    private let configuration: @Sendable () throws(SecretStoreError) -> WebDAVConfiguration
    private let client: any HTTPClient

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - client: Makes the requests.
    ///   - configuration: Is asked before each call, so that a password that a person has just entered is used at once.
    public init(
        client: any HTTPClient,
        configuration: @escaping @Sendable () throws(SecretStoreError) -> WebDAVConfiguration
    ) {
        (self.client, self.configuration) = (client, configuration)
    }

    /// What a server does in one request; of comparisons its configuration tells.
    public var abilities: Set<ObjectStoreAbility> {
        let comparesTags = (try? configuration())?.comparesTags ?? true
        return comparesTags ? [.list, .copy, .move, .conditionalPut] : [.list, .copy, .move]
    }

    // MARK: Storing

    /// Stores an object in one request.
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
            throw call.error(.invalidRequest, "the metadata has names or values that no store keeps")
        }
        var request = call.request(.put, ServerPath.file(of: key))
        request.contentType = options.contentType
        var unmet = ObjectStoreError.Code.alreadyExists
        switch options.condition {
        case .absent: request.set("If-None-Match", "*")
        case .any: break
        case .matches(let tag):
            guard call.configuration.comparesTags else {
                throw call.error(.unsupported, "the server does not compare tags")
            }
            request.set("If-Match", "\"\(tag)\"")
            unmet = .conditionFailed
        }
        try await call.inFolders(of: key) { () async throws(ObjectStoreError) in
            let body = try await Self.body(of: content, call, report)
            request.body = options.condition == .any ? body.body : try await Self.once(body.body, call)
            do throws(ObjectStoreError) {
                let isDone = try await call.change(request, unmet: unmet)
                guard isDone || unmet != .conditionFailed else {
                    throw call.error(.conditionFailed, "there is no folder, and no object")
                }
                return isDone
            } catch {
                throw call.operation.error(error, sending: body)
            }
        }
        try await call.operation.reporting(
            UploadProgress(sent: content.size, size: content.size),
            to: report
        )
    }

    /// Content as a body that is read while it is sent.
    private static func body(
        of content: ObjectContent,
        _ call: WebDAVCall,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) -> ContentBody {
        do throws(ObjectContentError) {
            return try await content.body { sent in
                // A report that fails is heard after the request.
                try? await report?(UploadProgress(sent: sent, size: content.size))
            }
        } catch {
            throw call.error(.unreadable, error.detail)
        }
    }

    /// A body that comes once: no layer below sends the request a second time, which would fail because of the first.
    private static func once(_ body: HTTPBody, _ call: WebDAVCall) async throws(ObjectStoreError) -> HTTPBody
    {
        do throws(TransportError) { return .stream(try await body.chunks(), length: body.length) } catch {
            throw call.error(.unreadable, error.detail)
        }
    }

    // MARK: Reading

    /// Reads an object, or a part of it, until the download timeout.
    public func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        let call = try prepare("get", key)
        if let range, range.isEmpty {
            guard let info = try await info(key) else { throw call.error(.notFound, "there is no object") }
            return ObjectStream(info, range: range) { nil }
        }
        var request = call.request(.get, ServerPath.file(of: key))
        if let range { request.set("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
        let answer = try await call.ask(request)
        // A folder's page and one of somebody in between have no entity tag.
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

    /// Asks for an object's head.
    public func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        let call = try prepare("info", key)
        let path = ServerPath.file(of: key)
        var answer: StreamedAnswer
        do throws(ObjectStoreError) {
            answer = try await call.ask(call.request(.head, path))
            // Of an empty object, Apache says the length in the answer to a GET alone.
            if answer.head.headerFields[.contentLength] == nil {
                answer = try await call.ask(call.request(.get, path))
            }
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        guard let found = AnsweredRange(answer.head, asked: nil) else {
            throw call.error(.serverError, "HTTP \(answer.head.status.code), but not the object's head")
        }
        return found.info
    }

    /// The address of the object below the public one.
    public func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        let call = try prepare("publicURL", key)
        guard let address = call.publicAddress else {
            throw call.error(.notConfigured, "the public address is not http:// or https://, host and path")
        }
        return "\(address)/\(ServerPath.escaped(ServerPath.file(of: key)))"
    }

    // MARK: Names

    /// Removes an object.
    ///
    /// A folder that somebody has made under its name stays: with depth 0 servers refuse to remove one.
    public func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        let call = try prepare("remove", key)
        var request = call.request(.delete, ServerPath.file(of: key))
        request.set("Depth", "0")
        do throws(ObjectStoreError) {
            guard try await call.change(request) else {
                throw call.error(.serverError, "HTTP 409 for a removal")
            }
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    /// Has the server copy an object.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try await send(.copy, prepare("copy", key), to: newKey)
    }

    /// Has the server give an object a new name.
    public func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try await send(.move, prepare("move", key), to: newKey)
    }

    private func send(
        _ method: WebDAVCall.Method,
        _ call: WebDAVCall,
        to newKey: ObjectKey
    ) async throws(ObjectStoreError) {
        guard StoreText.isKey(newKey.path) else {
            throw call.error(.invalidRequest, "“\(newKey)” is not a name")
        }
        var request = call.request(method.name, ServerPath.file(of: call.key))
        request.set("Destination", "\(call.address)/\(ServerPath.escaped(ServerPath.file(of: newKey)))")
        request.set("Overwrite", "F")
        request.set("Depth", "0")
        // For a move into a folder that is missing, Apache answers 500 and not 409.
        try await call.inFolders(of: newKey, areMissing: method == .move) {
            () async throws(ObjectStoreError) in
            try await call.change(request)
        }
    }

    // MARK: Calls

    private func prepare(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> WebDAVCall {
        guard StoreText.isKey(key.path) else {
            throw ObjectOperation(operation, key).error(.invalidRequest, "it is not a name")
        }
        return try prepareAny(operation, key)
    }

    /// A call whose key may be any text.
    func prepareAny(_ operation: String, _ key: ObjectKey) throws(ObjectStoreError) -> WebDAVCall {
        let current: WebDAVConfiguration
        do { current = try configuration() } catch {
            throw ObjectOperation(operation, key).error(.notConfigured, error.description)
        }
        return try WebDAVCall(operation, key, current, client)
    }
}
