import HTTPTypes

/// An effect that a request had.
public struct S3Event: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable {
        case created, replaced, copied, removed
    }

    /// What happened.
    public var kind: Kind
    /// The bucket of the object.
    public var bucket: String
    /// The key of the object.
    public var key: String
    /// Bytes of the object; of a removed one, those that it had.
    public var size: Int
    /// The entity tag without quotes.
    public var entityTag: String
    /// Counts the server's requests from 1.
    public var request: Int
}

/// An object as the server stores it.
public struct S3ObjectSnapshot: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The whole content.
    public var bytes: [UInt8]
    /// The media type as the client sent it.
    public var contentType: String
    /// User metadata, by names in small letters without `x-amz-meta-`.
    public var metadata: [String: String]
    /// The entity tag without quotes.
    public var entityTag: String

    init(_ object: StoredObject) {
        key = object.key
        bytes = object.content.bytes
        contentType = object.fields[.contentType] ?? ""
        metadata = [:]
        for field in object.fields {
            let name = field.name.canonicalName
            if name.hasPrefix(ObjectFields.metaPrefix) {
                metadata[String(name.dropFirst(ObjectFields.metaPrefix.count))] = field.value
            }
        }
        entityTag = object.entityTag
    }
}
