import Foundation
import PeerKit
import Synchronization

/// An upload that comes in parts: what is known of it, its bytes so far, and the right to it.
final class ResumableUpload: Sendable {
    /// All but the bytes.
    struct Record: Sendable, Hashable, Codable {
        /// What the object's version will be; it is the last part of the upload's identifier.
        var version: String
        var name: ObjectName
        /// Bytes of all of it; `nil` while the client has not said.
        var length: Int?
        /// The field `Upload-Metadata`, as it came.
        var metadata: String
        /// From when on it is gone.
        var expiry: Date
        /// Whether it was begun at a signed address.
        var isSigned: Bool
        /// Whether its object was stored.
        var isFinished = false

        /// The end of its address.
        var identifier: String { Base64.urlEncoded("\(name.path)/\(version)".utf8) }

        /// What it takes in memory.
        var memoryUse: Int { MemoryBudget.rowBytes + metadata.utf8.count + name.path.utf8.count }
    }

    let lock = UploadLock()
    let content: PartialContent
    private let state: Mutex<Record>
    /// What the record takes of the project's memory.
    private let share: MemoryBudget.Share

    init(_ record: Record, _ content: PartialContent, _ share: MemoryBudget.Share) {
        state = Mutex(record)
        self.content = content
        self.share = share
    }

    var record: Record { state.withLock(\.self) }

    func replace(_ record: Record) { state.withLock { $0 = record } }

    /// Bytes of it that the service has.
    var offset: Int {
        let record = record
        return record.isFinished ? record.length ?? content.size : content.size
    }

    /// Bucket, key and version in an identifier, which comes from outside.
    static func parts(of identifier: String) -> (name: ObjectName, version: String)? {
        guard let bytes = Base64.decoded(url: identifier),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let bucket = parts.first, let version = parts.last else { return nil }
        let key = parts[1..<(parts.count - 1)].joined(separator: "/")
        guard StorageNames.isBucket(String(bucket)), StorageNames.isKey(key) else { return nil }
        return (ObjectName(bucket: String(bucket), key: key), String(version))
    }
}
