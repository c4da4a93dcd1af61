/// A store of named byte sequences in the cloud, or in a folder.
///
/// An object is replaced whole or not at all, and nobody sees half of one. Calls may come from any task.
///
/// `Documentation/StorageBackend.md` says what one has to do, and the suite `ObjectStoreConformance` checks it.
public protocol ObjectStore: Sendable {
    /// What this store can do that not every store can; anything else of it fails with `unsupported`, before anything is sent.
    var abilities: Set<ObjectStoreAbility> { get }

    /// Stores content under a key.
    ///
    /// - Parameters:
    ///   - content: The whole object; large content is read while it is sent, in pieces.
    ///   - key: Path inside the bucket, segments joined by `/`.
    ///   - options: What is said of the object, on which condition it is stored, and from where an earlier upload goes on.
    ///   - report: Is called in order while the content is sent, and with each new checkpoint before anything more is sent. What it throws
    ///     ends the upload as `cancelled`. `nil` where nobody keeps checkpoints: an upload that fails leaves nothing at the store then, as
    ///     far as that can be reached.
    /// - Throws: `alreadyExists` when the key is taken and ``PutOptions/condition`` is `absent`, also by an earlier attempt of this very
    ///   upload whose answer was lost, see ``holds(_:at:)``; `conditionFailed`; `unreadable` when the content cannot be read; and every
    ///   code of a request.
    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError)

    /// Opens an object for reading, and returns as soon as its first byte is there.
    ///
    /// - Parameters:
    ///   - key: The object's.
    ///   - range: Bytes of it, of which those that it has are read; all of it when `nil`.
    /// - Throws: `notFound`, `invalidRequest` for a range that begins behind the object's end, and the codes of any request.
    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream

    /// Size and identity of an object, which is not read; `nil` when there is none.
    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo?

    /// Objects whose keys begin with a text, in the order of the bytes of their keys.
    ///
    /// - Parameters:
    ///   - prefix: The text, which may end inside a segment; empty for all.
    ///   - token: ``ObjectPage/next`` of the page before; `nil` for the first.
    ///   - limit: The most objects to return, 1 to 1,000.
    /// - Throws: `unsupported` without ``ObjectStoreAbility/list``, `invalidRequest` for another limit, and the codes of any request.
    func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage

    /// Removes an object; an absent one is no error.
    ///
    /// - Throws: `unauthorized` where the object stays because its key may not remove it, and the codes of any request.
    func remove(_ key: ObjectKey) async throws(ObjectStoreError)

    /// Has the store copy an object, with all that is said of it, under a new key.
    ///
    /// - Throws: `unsupported` without ``ObjectStoreAbility/copy``, `notFound`, `alreadyExists` when the new key is taken.
    func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError)

    /// Gives an object a new key, in one step.
    ///
    /// - Throws: `unsupported` without ``ObjectStoreAbility/move``, `notFound`, `alreadyExists` when the new key is taken.
    func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError)

    /// Where anyone may read the object, if its bucket is public.
    ///
    /// Does not ask the service.
    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String

    /// An address at which anybody may do one thing with an object for a time.
    ///
    /// - Parameters:
    ///   - use: What is permitted.
    ///   - key: Of an object that, for some services, may not be there yet.
    ///   - lifetime: Of whole seconds, from now on; a service may give addresses for writing a time of its own.
    /// - Throws: `unsupported` without ``ObjectStoreAbility/signedAddresses``, `invalidRequest` for a lifetime that the service does not
    ///   give, `notFound` where the service signs only for what is there.
    func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String

    /// Has the store forget an upload that is not to go on; one that it does not know is no error.
    ///
    /// What was stored whole stays.
    func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError)
}

/// What a store may be able to do beyond the rest.
public enum ObjectStoreAbility: String, Sendable, Hashable, CaseIterable {
    /// Objects can be listed.
    case list
    /// The store copies objects by itself.
    case copy
    /// The store gives objects other keys, in one step.
    case move
    /// ``PutOptions/Condition/matches(_:)``.
    case conditionalPut
    /// ``ObjectStore/signedURL(to:_:lifetime:)``.
    case signedAddresses
    /// ``PutOptions/metadata`` is kept, and ``ObjectInfo/metadata`` returns it.
    case metadata
    /// Large uploads have checkpoints, from which a later call goes on.
    case checkpoints
}

/// What a signed address permits.
public enum SignedUse: Sendable, Hashable {
    /// To read the object.
    case read
    /// To store an object, of that media type where the service binds it.
    case write(contentType: String)
}

extension ObjectStore {
    /// Nothing beyond what every store can do.
    public var abilities: Set<ObjectStoreAbility> { [] }

    /// Fails with `unsupported`.
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage { throw .unsupported("list", ObjectKey(prefix)) }

    /// Fails with `unsupported`.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        throw .unsupported("copy", key)
    }

    /// Fails with `unsupported`.
    public func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        throw .unsupported("move", key)
    }

    /// Fails with `unsupported`.
    public func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String { throw .unsupported("sign", key) }

    /// Does nothing: a store without ``ObjectStoreAbility/checkpoints`` has no uploads that could go on.
    public func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {}
}

extension ObjectStore {
    /// Stores bytes under a key that must be new.
    ///
    /// - Parameters:
    ///   - bytes: The whole object.
    ///   - key: Path inside the bucket.
    ///   - contentType: A media type such as `image/jpeg`.
    /// - Throws: As ``put(_:at:_:report:)``.
    public func put(
        _ bytes: [UInt8],
        at key: ObjectKey,
        contentType: String
    ) async throws(ObjectStoreError) {
        try await put(ObjectContent(bytes), at: key, PutOptions(contentType: contentType), report: nil)
    }

    /// Reads an object, or a part of it, into memory.
    ///
    /// - Parameters:
    ///   - key: The object's.
    ///   - limit: The most bytes to accept.
    ///   - range: Bytes of it; all of it when `nil`.
    /// - Throws: `tooLarge` past the limit, and what ``open(_:range:)`` throws.
    public func get(
        _ key: ObjectKey,
        upTo limit: Int,
        range: Range<Int>? = nil
    ) async throws(ObjectStoreError) -> [UInt8] {
        let stream = try await open(key, range: range)
        let wanted = stream.range.count
        func tooLarge(_ count: Int) -> ObjectStoreError {
            ObjectStoreError(
                .tooLarge,
                operation: "get",
                key: key.path,
                detail: "\(count) bytes, and at most \(limit) were wanted"
            )
        }
        guard wanted <= limit else { throw tooLarge(wanted) }
        var bytes: [UInt8] = []
        for try await chunk in stream {
            if bytes.isEmpty, chunk.count == wanted { bytes = chunk } else { bytes += chunk }
            guard bytes.count <= limit else { throw tooLarge(bytes.count) }
        }
        return bytes
    }

    /// Whether the object of a key is this content, byte for byte.
    ///
    /// For whoever does not know whether an earlier upload took effect: size and type may be those of another object. The object is read
    /// as far as it agrees.
    ///
    /// - Parameters:
    ///   - content: What the object may be.
    ///   - key: The object's.
    /// - Returns: False also where there is no object.
    /// - Throws: `unreadable` when the content cannot be read, and the codes of any request.
    public func holds(_ content: ObjectContent, at key: ObjectKey) async throws(ObjectStoreError) -> Bool {
        guard let info = try await info(key), info.size == content.size else { return false }
        guard content.size > 0 else { return true }
        let stream: ObjectStream
        do { stream = try await open(key, range: nil) } catch {
            if error.code == .notFound { return false }
            throw error
        }
        var place = 0
        for try await chunk in stream {
            guard place + chunk.count <= content.size else { return false }
            let own: [UInt8]
            do { own = try await content.bytes(place..<place + chunk.count) } catch {
                throw ObjectStoreError(.unreadable, operation: "compare", key: key.path, detail: error.detail)
            }
            guard own == chunk else { return false }
            place += chunk.count
        }
        return place == content.size
    }
}

extension ObjectStoreError {
    fileprivate static func unsupported(_ operation: String, _ key: ObjectKey) -> ObjectStoreError {
        ObjectStoreError(.unsupported, operation: operation, key: key.path, detail: "this store cannot do it")
    }
}
