import Foundation
import PeerKit

/// A row of `storage.buckets`.
struct StoredBucket: Sendable, Hashable, Codable {
    var id: String
    var owner: String
    var isPublic: Bool
    /// Bytes.
    var sizeLimit: Int?
    var mimeTypes: [String]?
    var createdAt: Date
    var updatedAt: Date
    /// When its objects vanish, after somebody asked for it to be emptied.
    var emptiesAt: Date?

    var row: JSONValue {
        .object([
            "id": .string(id), "name": .string(id), "owner": .string(owner), "public": .bool(isPublic),
            "type": "STANDARD",
            "file_size_limit": sizeLimit.map { .integer($0) } ?? .null,
            "allowed_mime_types": mimeTypes.map { .array($0.map { .string($0) }) } ?? .null,
            "created_at": .string(StorageNames.date(createdAt)),
            "updated_at": .string(StorageNames.date(updatedAt)),
        ])
    }
}
