import AWSSignature
import Foundation
import HTTPTypes
import PeerKit

/// A bucket as its record has it.
struct BucketRecord: Codable {
    private let created: Int64
    private let isPublic: Bool
    private let crossOrigin: [CrossOriginRule]

    init(_ bucket: StoredBucket) {
        (created, isPublic, crossOrigin) = (bucket.created.seconds, bucket.isPublic, bucket.crossOrigin)
    }

    /// The bucket, in which nothing is yet.
    var bucket: StoredBucket {
        StoredBucket(created: SigningTime(seconds: created), isPublic: isPublic, crossOrigin: crossOrigin)
    }
}

/// An object as its record has it.
struct ObjectRecord: Codable {
    /// A file with some of its bytes.
    struct File: Codable {
        let name: String
        /// Bytes of it.
        let size: Int

        static func all(of content: ObjectContent) -> [File] {
            content.files.map { File(name: URL(filePath: $0.path).lastPathComponent, size: $0.size) }
        }
    }

    let key: String
    let files: [File]
    private let entityTag: String
    private let modified: Int64
    private let fields: [FieldRecord]
    private let checksum: Checksum?

    init(_ object: StoredObject) {
        key = object.key
        files = File.all(of: object.content)
        entityTag = object.entityTag
        modified = object.modified.seconds
        fields = FieldRecord.all(of: object.fields)
        checksum = object.checksum
    }

    func object(_ content: ObjectContent) -> StoredObject {
        StoredObject(
            key: key,
            content: content,
            entityTag: entityTag,
            modified: SigningTime(seconds: modified),
            fields: FieldRecord.fields(fields),
            checksum: checksum
        )
    }
}

/// An upload in parts as its record has it; its identifier is the name of its folder.
struct UploadRecord: Codable {
    let bucket: String
    private let key: String
    private let initiated: Int64
    private let fields: [FieldRecord]
    private let algorithm: ChecksumAlgorithm?
    private let kind: Checksum.Kind

    init(_ upload: PendingUpload, in bucket: String) {
        self.bucket = bucket
        key = upload.key
        initiated = upload.initiated.seconds
        fields = FieldRecord.all(of: upload.fields)
        (algorithm, kind) = (upload.algorithm, upload.kind)
    }

    /// The upload without its parts.
    func upload(_ id: String, _ share: MemoryBudget.Share) -> PendingUpload {
        PendingUpload(
            id: id,
            key: key,
            initiated: SigningTime(seconds: initiated),
            fields: FieldRecord.fields(fields),
            algorithm: algorithm,
            kind: kind,
            share: share
        )
    }
}

/// A part of an upload as its record has it.
struct PartRecord: Codable {
    let files: [ObjectRecord.File]
    private let digest: [UInt8]
    private let modified: Int64
    private let checksum: [UInt8]?

    init(_ part: PendingUpload.Part) {
        files = ObjectRecord.File.all(of: part.content)
        digest = part.digest
        modified = part.modified.seconds
        checksum = part.checksum
    }

    func part(_ content: ObjectContent) -> PendingUpload.Part {
        PendingUpload.Part(
            content: content,
            digest: digest,
            modified: SigningTime(seconds: modified),
            checksum: checksum
        )
    }
}

/// A header field that an object keeps.
struct FieldRecord: Codable {
    private let name: String
    private let value: String

    static func all(of fields: HTTPFields) -> [FieldRecord] {
        fields.map { FieldRecord(name: $0.name.rawName, value: $0.value) }
    }

    static func fields(_ records: [FieldRecord]) -> HTTPFields {
        var fields = HTTPFields()
        for record in records {
            if let name = HTTPField.Name(record.name) {
                fields.append(HTTPField(name: name, value: record.value))
            }
        }
        return fields
    }
}
