/// What is said of an object that is stored, and on which condition it is.
public struct PutOptions: Sendable, Hashable {
    /// When an object is stored.
    public enum Condition: Sendable, Hashable {
        /// Where the key is new.
        case absent
        /// In any case; what is there is replaced.
        case any
        /// Where the object of the key has that entity tag; for stores with ``ObjectStoreAbility/conditionalPut``.
        case matches(String)
    }

    /// A media type such as `image/jpeg`.
    public var contentType: String
    /// How caches may keep the object, as a `Cache-Control` value; `nil` for what the store is configured with.
    public var cacheControl: String?
    /// Further words about the object, by names of lower-case letters, digits and `-`; values are visible ASCII and spaces.
    ///
    /// A store without ``ObjectStoreAbility/metadata`` passes them over.
    public var metadata: [String: String]
    /// When the object is stored.
    public var condition: Condition
    /// How far an earlier upload of the same content has come; one of other content, or that the store has forgotten, starts the upload
    /// again and does no harm.
    public var checkpoint: UploadCheckpoint?

    /// Makes a value of its parts.
    public init(
        contentType: String,
        cacheControl: String? = nil,
        metadata: [String: String] = [:],
        condition: Condition = .absent,
        checkpoint: UploadCheckpoint? = nil
    ) {
        self.contentType = contentType
        self.cacheControl = cacheControl
        self.metadata = metadata
        self.condition = condition
        self.checkpoint = checkpoint
    }
}
