public import Services

/// How far an upload in parts has come, for its caller to keep, and to hand in again after a crash.
///
/// It holds no credentials. The service forgets an upload after a time, an hour or a day; a checkpoint of one that is forgotten, or of other
/// bytes, starts the upload again and does no harm.
public struct UploadCheckpoint: Sendable, Hashable, Codable {
    /// The object.
    public var key: ObjectKey
    /// Which store it goes to: ``SupabaseConfiguration/identity``.
    public var store: String
    /// The path of the upload at the service, below the project's address.
    public var location: String
    /// Bytes that the service has confirmed.
    public var offset: Int
    /// Bytes of the whole object.
    public var size: Int
    /// SHA-256 of the whole object, in hexadecimal.
    public var digest: String

    /// Makes a value of its parts.
    public init(key: ObjectKey, store: String, location: String, offset: Int, size: Int, digest: String) {
        self.key = key
        self.store = store
        self.location = location
        self.offset = offset
        self.size = size
        self.digest = digest
    }
}
