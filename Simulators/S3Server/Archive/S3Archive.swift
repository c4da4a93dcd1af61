import AWSSignature
import Crypto
import Foundation
import PeerKit

/// Keeps what an account stores in a folder, so that a process started later finds it: buckets, objects, and uploads in parts that are
/// not complete.
///
/// Each bucket, object, upload and part is a record; the bytes of each object that came in one request, and of each part, are a file. A
/// completed upload is an object whose record names the files of its parts. Bytes are written, as they come, before the record that
/// names them. A process killed at any moment leaves the old state or the new one, and perhaps bytes that no record names; those are
/// deleted when the folder is opened.
struct S3Archive: Sendable {
    private let root: URL
    private let buckets: RecordFolder
    private let contents: ContentFolder

    init(folder: String) throws {
        root = URL(filePath: folder, directoryHint: .isDirectory)
        buckets = try RecordFolder(root.appending(path: "buckets", directoryHint: .isDirectory))
        contents = try ContentFolder(root.appending(path: "contents", directoryHint: .isDirectory))
        for name in ["objects", "uploads"] {
            try FileManager.default.createDirectory(at: folderURL(name), withIntermediateDirectories: true)
        }
    }

    // MARK: Bytes

    /// Where the next bytes are kept.
    func newPath() -> String { contents.path(of: UUID().uuidString.lowercased()) }

    /// The same bytes for another object, under second names, which nothing keeps yet.
    func linked(_ content: ObjectContent, _ share: MemoryBudget.Share) throws -> ObjectContent {
        let copies = try content.files.map { file in
            let copy = ContentFile(path: newPath(), size: file.size, isKept: false)
            try contents.link(file.path, to: copy)
            return ObjectContent.Piece.file(copy)
        }
        return ObjectContent(pieces: copies, share)
    }

    private func files(_ names: [ObjectRecord.File], _ budget: MemoryBudget) throws -> ObjectContent? {
        let found = names.compactMap { contents.kept($0.name, size: $0.size) }
        guard found.count == names.count else { return nil }
        return ObjectContent(pieces: found.map { .file($0) }, try Self.row(budget))
    }

    // MARK: Changes

    func write(_ bucket: StoredBucket, named name: String) throws {
        try buckets.write(BucketRecord(bucket), as: name)
    }

    /// Forgets an empty bucket.
    func removeBucket(_ name: String) throws {
        try buckets.remove(name)
        try objects(of: name).removeAll()
    }

    /// Writes an object, whose bytes are kept then.
    func write(_ object: StoredObject, in bucket: String) throws {
        try objects(of: bucket).write(ObjectRecord(object), as: Self.name(of: object.key))
        object.content.keep()
    }

    /// Forgets an object; its bytes are left to whoever discards them.
    func removeObject(_ key: String, in bucket: String) throws {
        try objects(of: bucket).remove(Self.name(of: key))
    }

    func write(_ upload: PendingUpload, in bucket: String) throws {
        try parts(of: upload.id).write(UploadRecord(upload, in: bucket), as: Self.uploadName)
    }

    /// Writes a part of an upload, whose bytes are kept then.
    func write(_ part: PendingUpload.Part, _ number: Int, of upload: String) throws {
        try parts(of: upload).write(PartRecord(part), as: "\(number)")
        part.content.keep()
    }

    /// Forgets an upload with its parts; their bytes are left to whoever discards them.
    func removeUpload(_ id: String) throws {
        let records = try parts(of: id)
        try records.remove(Self.uploadName)
        try records.removeAll()
    }

    // MARK: Reading

    /// Reads what was stored.
    ///
    /// Objects and parts whose bytes are absent are left out. An upload with a part whose bytes an object has was completed: the process
    /// ended before it could forget the upload.
    func load(_ budget: MemoryBudget) throws -> S3State {
        var state = S3State()
        var ofObjects: Set<String> = []
        for name in try buckets.names() {
            var bucket = try buckets.read(name, as: BucketRecord.self).bucket
            let records = try objects(of: name)
            for record in try records.names() {
                let object = try records.read(record, as: ObjectRecord.self)
                guard let content = try files(object.files, budget) else { continue }
                ofObjects.formUnion(object.files.map(\.name))
                bucket[object.key] = object.object(content)
            }
            state.buckets[name] = bucket
        }
        var named = ofObjects
        for id in try FileManager.default.contentsOfDirectory(atPath: folderURL("uploads").path).sorted() {
            let records = try parts(of: id)
            let numbers = try records.names().compactMap { Int($0) }
            // Its record goes first when an upload is forgotten.
            guard numbers.count < (try records.names()).count else {
                try records.removeAll()
                continue
            }
            let record = try records.read(Self.uploadName, as: UploadRecord.self)
            var upload = record.upload(id, try Self.row(budget))
            var isCompleted = false
            for number in numbers {
                let part = try records.read("\(number)", as: PartRecord.self)
                if part.files.contains(where: { ofObjects.contains($0.name) }) { isCompleted = true }
                guard let content = try files(part.files, budget) else { continue }
                upload.parts[number] = part.part(content)
            }
            if isCompleted || state.buckets[record.bucket] == nil {
                try records.removeAll()
            } else {
                state.buckets[record.bucket]?.uploads[id] = upload
                named.formUnion(
                    upload.parts.values.flatMap { ObjectRecord.File.all(of: $0.content).map(\.name) }
                )
            }
        }
        try contents.removeAll(but: named)
        return state
    }

    private static func row(_ budget: MemoryBudget) throws -> MemoryBudget.Share {
        let share = MemoryBudget.Share(of: budget)
        guard share.takes(MemoryBudget.rowBytes) else { throw S3Failure.outOfMemory }
        return share
    }

    // MARK: Names

    private static let uploadName = "upload"

    /// A key is a client's, may have more bytes than a file's name, and goes by its digest.
    private static func name(of key: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(key.utf8)))
    }

    private func folderURL(_ name: String) -> URL { root.appending(path: name, directoryHint: .isDirectory) }

    /// Names of buckets are checked before, and have no slash.
    private func objects(of bucket: String) throws -> RecordFolder {
        try RecordFolder(folderURL("objects").appending(path: bucket, directoryHint: .isDirectory))
    }

    private func parts(of upload: String) throws -> RecordFolder {
        try RecordFolder(folderURL("uploads").appending(path: upload, directoryHint: .isDirectory))
    }
}
