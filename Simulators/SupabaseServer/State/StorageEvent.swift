public import Foundation
import PeerKit

/// An effect that a request had, or a duplicate that was refused.
public struct StorageEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable {
        /// A new object was stored.
        case created
        /// An object was stored over an older one.
        case replaced
        /// An upload was refused because its key was taken.
        case refusedDuplicate
        case moved
        case copied
        case removed
    }

    /// What happened.
    public var kind: Kind
    /// The bucket of the object.
    public var bucket: String
    /// The key of the object, after the effect.
    public var key: String
    /// Bytes; of a refused duplicate, those of the object that stayed.
    public var size: Int
    /// MD5 of the stored bytes in hexadecimal.
    public var entityTag: String
    /// When it happened.
    public var date: Date
    /// Counts the server's requests from 1.
    public var request: Int
}

/// An object as the server stores it.
public struct ObjectSnapshot: Sendable, Hashable {
    /// The bucket of the object.
    public var bucket: String
    /// The key of the object, after the effect.
    public var key: String
    /// The whole content.
    public var bytes: [UInt8]
    /// The media type as the client sent it.
    public var contentType: String
    /// The `Cache-Control` value that downloads carry.
    public var cacheControl: String
    /// The user metadata as JSON text, with sorted members.
    public var metadata: String?
    /// MD5 of the bytes in hexadecimal.
    public var entityTag: String
    /// The user that stored it; `nil` for a key without a user.
    public var owner: String?

    init(_ object: StoredObject) {
        bucket = object.row.name.bucket
        key = object.row.name.key
        bytes = object.content.bytes
        contentType = object.row.contentType
        cacheControl = object.row.cacheControl
        metadata = object.row.userMetadata.map { String(decoding: $0.json, as: UTF8.self) }
        entityTag = object.row.entityTag.filter { $0 != "\"" }
        owner = object.row.owner
    }
}
