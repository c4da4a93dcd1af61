import Foundation
import PeerKit

/// Bucket and key.
struct ObjectName: Sendable, Hashable, Codable {
    var bucket: String
    var key: String

    var path: String { "\(bucket)/\(key)" }
}

/// A row of `storage.objects`, and the bytes behind it.
struct StoredObject: Sendable {
    /// All but the bytes.
    struct Row: Sendable, Hashable, Codable {
        /// Stays when the object is replaced.
        var id: String
        /// New with every replacement.
        var version: String
        var name: ObjectName
        var owner: String?
        /// Bytes.
        var size: Int
        var contentType: String
        var cacheControl: String
        var robots: String?
        /// MD5 of the bytes in hexadecimal, quoted, as S3 does it.
        var entityTag: String
        var userMetadata: JSONValue?
        var createdAt: Date
        var updatedAt: Date
    }

    var row: Row
    var content: StoredContent
}

extension StoredObject.Row {
    /// What the row takes in memory.
    var memoryUse: Int { MemoryBudget.rowBytes + (userMetadata?.json.count ?? 0) }

    /// The `metadata` column.
    private var metadata: JSONValue {
        .object([
            "eTag": .string(entityTag), "size": .integer(size), "mimetype": .string(contentType),
            "cacheControl": .string(cacheControl), "lastModified": .string(StorageNames.date(updatedAt)),
            "contentLength": .integer(size), "httpStatusCode": .integer(200),
        ])
    }

    private var common: [String: JSONValue] {
        [
            "id": .string(id), "created_at": .string(StorageNames.date(createdAt)),
            "updated_at": .string(StorageNames.date(updatedAt)),
            "last_accessed_at": .string(StorageNames.date(updatedAt)), "metadata": metadata,
        ]
    }

    /// A line of a listing, under a name relative to the listed folder.
    func listed(as name: String) -> JSONValue {
        .object(common.merging(["name": .string(name)]) { $1 })
    }

    /// The whole row, as `remove` and `copy` return it.
    var full: [String: JSONValue] {
        common.merging([
            "name": .string(name.key), "bucket_id": .string(name.bucket), "owner": .optional(owner),
            "owner_id": .optional(owner), "version": .string(version),
            "user_metadata": userMetadata ?? .null,
        ]) { $1 }
    }

    /// The answer of the information route.
    var info: JSONValue {
        .object([
            "id": .string(id), "name": .string(name.key), "version": .string(version),
            "bucket_id": .string(name.bucket), "size": .integer(size), "content_type": .string(contentType),
            "cache_control": .string(cacheControl), "etag": .string(entityTag),
            "metadata": userMetadata ?? .object([:]),
            "last_modified": .string(StorageNames.date(updatedAt)),
            "created_at": .string(StorageNames.date(createdAt)),
        ])
    }
}
