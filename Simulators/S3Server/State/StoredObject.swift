import AWSSignature
import HTTPTypes
import PeerKit
import Transport

/// An object of a bucket.
struct StoredObject: Sendable {
    let key: String
    var content: ObjectContent
    /// Without quotes: MD5 in hexadecimal, or that of the parts' and their number.
    var entityTag: String
    /// Whole seconds count.
    var modified: SigningTime
    /// What the client has set and downloads carry: `Content-Type`, `x-amz-meta-…` and others.
    var fields: HTTPFields
    var checksum: Checksum?

    var quotedTag: String { "\"\(entityTag)\"" }
}

/// An upload in parts that is not complete.
struct PendingUpload: Sendable {
    struct Part: Sendable {
        var content: ObjectContent
        /// MD5, as bytes.
        var digest: [UInt8]
        var modified: SigningTime
        /// In bytes, of the upload's algorithm.
        var checksum: [UInt8]?

        var entityTag: String { Hexadecimal.encode(digest) }
    }

    let id: String
    let key: String
    let initiated: SigningTime
    let fields: HTTPFields
    let algorithm: ChecksumAlgorithm?
    let kind: Checksum.Kind
    /// What it takes of the account's memory without its parts.
    let share: MemoryBudget.Share
    var parts: [Int: Part] = [:]
}

/// A bucket with all that is in it.
struct StoredBucket: Sendable {
    let created: SigningTime
    var isPublic: Bool
    var crossOrigin: [CrossOriginRule]
    /// By the texts of ``KeyOrder``.
    private(set) var objects = KeyMap<StoredObject>()
    /// By their identifiers.
    var uploads: [String: PendingUpload] = [:]

    init(created: SigningTime, isPublic: Bool = false, crossOrigin: [CrossOriginRule] = []) {
        (self.created, self.isPublic, self.crossOrigin) = (created, isPublic, crossOrigin)
    }

    subscript(key: String) -> StoredObject? {
        get { objects[KeyOrder.text(of: key)] }
        set { objects[KeyOrder.text(of: key)] = newValue }
    }
}
