/// How far an upload has come at a store, for its caller to keep, and to hand in again after a crash.
///
/// It holds no credentials. A service forgets uploads after a time, an hour or some days.
public struct UploadCheckpoint: Sendable, Hashable, Codable {
    /// The object.
    public var key: ObjectKey
    /// Which store it goes to, in the words of the store.
    public var store: String
    /// Bytes of the whole object.
    public var size: Int
    /// SHA-256 of the whole object, in hexadecimal.
    public var digest: String
    /// Bytes that the service has confirmed.
    public var confirmed: Int
    /// What the store needs to find the upload again, in a form of its own.
    public var place: String

    /// Makes a value of its parts.
    public init(key: ObjectKey, store: String, size: Int, digest: String, confirmed: Int, place: String) {
        self.key = key
        self.store = store
        self.size = size
        self.digest = digest
        self.confirmed = confirmed
        self.place = place
    }

    /// Whether it is one of the same bytes on their way to the same place.
    public func isOfSameUpload(as other: UploadCheckpoint) -> Bool {
        (key, store, size, digest) == (other.key, other.store, other.size, other.digest)
    }
}

/// How far an upload is.
public struct UploadProgress: Sendable, Hashable {
    /// Bytes that are on their way or have arrived; fewer than before after a failure from which the upload has gone on.
    public var sent: Int
    /// Bytes of the whole object.
    public var size: Int
    /// What to keep, where it is new.
    public var checkpoint: UploadCheckpoint?

    /// Makes a value of its parts.
    public init(sent: Int, size: Int, checkpoint: UploadCheckpoint? = nil) {
        (self.sent, self.size, self.checkpoint) = (sent, size, checkpoint)
    }
}

/// Hears how far an upload is.
public typealias UploadReport = @Sendable (UploadProgress) async throws -> Void
