import Foundation
import PeerKit

/// Keeps a project's state in a folder, so that a process started later finds it.
///
/// Each bucket and each object row is a record, each object's bytes a file named for its version. Bytes are
/// written, as they come, before the row that names them. A process killed
/// at any moment leaves either the old state or the new one, and perhaps bytes that no row names; those are
/// deleted when the folder is opened.
struct StorageArchive: Sendable {
    private let buckets: RecordFolder
    private let rows: RecordFolder
    private let contents: ContentFolder

    init(folder: String) throws {
        let root = URL(filePath: folder, directoryHint: .isDirectory)
        buckets = try RecordFolder(root.appending(path: "buckets", directoryHint: .isDirectory))
        rows = try RecordFolder(root.appending(path: "rows", directoryHint: .isDirectory))
        contents = try ContentFolder(root.appending(path: "bytes", directoryHint: .isDirectory))
    }

    /// Reads what was stored.
    ///
    /// A row whose bytes are absent is left out.
    func load(_ budget: MemoryBudget) throws -> StorageState {
        var changes: [StorageState.Change] = []
        for name in try buckets.names() { changes.append(.setBucket(try buckets.read(name))) }
        var named: Set<String> = []
        for name in try rows.names() {
            let row = try rows.read(name, as: StoredObject.Row.self)
            guard let file = contents.kept(row.version, size: row.size) else { continue }
            named.insert(row.version)
            let share = MemoryBudget.Share(of: budget)
            try share.grow(by: row.memoryUse)
            changes.append(.setObject(StoredObject(row: row, content: StoredContent(file, share))))
        }
        try contents.removeAll(but: named)
        var state = StorageState()
        _ = state.apply(changes[...])
        return state
    }

    /// Makes a change durable.
    ///
    /// It leaves the bytes that the change takes from their row: ``StoredContent/discard()`` deletes them once nobody
    /// reads them.
    func write(_ change: StorageState.Change) throws {
        switch change {
        case .setBucket(let bucket): try buckets.write(bucket, as: name(of: bucket.id))
        case .dropBucket(let id):
            // Only an empty bucket is dropped.
            try buckets.remove(name(of: id))
        // A replacement has the identifier of what it replaces, and so its row's record.
        case .setObject(let object), .moveObject(_, let object):
            try rows.write(object.row, as: object.row.id)
            object.content.keep()
        case .copyObject(let version, let object):
            if let copy = object.content.file { try contents.link(path(ofVersion: version), to: copy) }
            try rows.write(object.row, as: object.row.id)
            object.content.keep()
        case .dropObject(let row): try rows.remove(row.id)
        }
    }

    /// Where the bytes of a version are kept.
    func path(ofVersion version: String) -> String { contents.path(of: version) }

    // Identifiers are this server's own; a bucket's name is a client's, and goes in hexadecimal.
    private func name(of bucket: String) -> String { Hexadecimal.encode(bucket.utf8) }
}
