/// A store of named, immutable byte sequences in the cloud.
public protocol ObjectStore: Sendable {
    /// Stores bytes under a key that must be new.
    ///
    /// - Parameters:
    ///   - bytes: The whole object.
    ///   - key: Path inside the bucket, segments joined by `/`.
    ///   - contentType: A media type such as `image/jpeg`.
    /// - Throws: `alreadyExists` when the key is taken, also by an earlier attempt of this very upload whose
    ///   answer was lost; and every other code of ``ObjectStoreError``.
    func put(
        _ bytes: [UInt8],
        at key: ObjectKey,
        contentType: String
    ) async throws(ObjectStoreError)

    /// Reads a whole object.
    ///
    /// - Throws: `notFound`, `tooLarge` past `limit` bytes, and the codes of any request.
    func get(_ key: ObjectKey, upTo limit: Int) async throws(ObjectStoreError) -> [UInt8]

    /// Tells size and identity of an object without reading it; `nil` when there is none.
    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo?

    /// Removes an object; an absent one is no error.
    ///
    /// - Throws: `unauthorized` where the object stays because its key may not remove it, and the codes of any request.
    func remove(_ key: ObjectKey) async throws(ObjectStoreError)

    /// Where anyone may read the object, if its bucket is public. Does not ask the service.
    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String
}

/// The name of an object inside its bucket.
public struct ObjectKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Segments joined by `/`.
    public var path: String

    /// Makes a value of its parts.
    public init(_ path: String) { self.path = path }

    /// All of it, for people.
    public var description: String { path }
}

/// What a store knows of an object.
public struct ObjectInfo: Sendable, Hashable {
    /// Bytes.
    public var size: Int
    /// A media type.
    public var contentType: String
    /// The store's identity of these bytes, often an MD5 in hexadecimal; compare only for equality.
    public var entityTag: String

    /// Makes a value of its parts.
    public init(size: Int, contentType: String, entityTag: String) {
        self.size = size
        self.contentType = contentType
        self.entityTag = entityTag
    }
}
