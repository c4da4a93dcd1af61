import Foundation
import PeerKit

/// Keeps a project's state in a folder, so that a process started later finds it.
///
/// Each bucket and each object row is a JSON file, each object's bytes a file named for its version. Bytes are
/// written, as they come, before the row that names them, and every file appears by renaming a complete one. A process killed
/// at any moment leaves either the old state or the new one, and perhaps bytes that no row names; those are
/// deleted when the folder is opened. Power cuts are not covered: nothing is forced to the disk.
struct StorageArchive: Sendable {
    private let buckets: URL
    private let rows: URL
    private let bytes: URL

    init(folder: String) throws {
        let root = URL(filePath: folder, directoryHint: .isDirectory)
        buckets = root.appending(path: "buckets", directoryHint: .isDirectory)
        rows = root.appending(path: "rows", directoryHint: .isDirectory)
        bytes = root.appending(path: "bytes", directoryHint: .isDirectory)
        for folder in [buckets, rows, bytes] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    /// Reads what was stored.
    ///
    /// A row whose bytes are absent is left out.
    func load(_ budget: MemoryBudget) throws -> StorageState {
        var changes: [StorageState.Change] = []
        for file in try files(in: buckets) {
            changes.append(
                .setBucket(try JSONDecoder().decode(StoredBucket.self, from: Data(contentsOf: file)))
            )
        }
        var named: Set<String> = []
        for file in try files(in: rows) {
            let row = try JSONDecoder().decode(StoredObject.Row.self, from: Data(contentsOf: file))
            let path = path(ofVersion: row.version)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard (attributes?[.size] as? NSNumber)?.intValue == row.size else { continue }
            named.insert(row.version)
            let share = MemoryBudget.Share(of: budget)
            try share.grow(by: row.memoryUse)
            changes.append(
                .setObject(
                    StoredObject(row: row, content: StoredContent(file: path, size: row.size, share))
                )
            )
        }
        for file in try files(in: bytes) where !named.contains(file.lastPathComponent) {
            try FileManager.default.removeItem(at: file)
        }
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
        case .setBucket(let bucket):
            try write(Array(JSONEncoder().encode(bucket)), to: file(of: bucket.id))
        case .dropBucket(let id):
            // Only an empty bucket is dropped.
            try remove(file(of: id))
        // A replacement has the identifier of what it replaces, and so its row's file.
        case .setObject(let object), .moveObject(_, let object): try write(object.row)
        case .copyObject(let version, let object):
            // A second name of the same bytes, which never change.
            let copy = path(ofVersion: object.row.version)
            try FileManager.default.linkItem(atPath: path(ofVersion: version), toPath: copy)
            do { try write(object.row) } catch {
                try? FileManager.default.removeItem(atPath: copy)
                throw error
            }
        case .dropObject(let row): try remove(file(of: row))
        }
    }

    private func write(_ row: StoredObject.Row) throws {
        try write(Array(JSONEncoder().encode(row)), to: file(of: row))
    }

    private func write(_ bytes: [UInt8], to file: URL) throws {
        try Data(bytes).write(to: file, options: .atomic)
    }

    private func remove(_ file: URL) throws {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { folder.appending(path: $0, directoryHint: .notDirectory) }
            .filter { $0.pathExtension == "json" || folder == bytes }
    }

    // Identifiers are this server's own; a bucket's name is a client's, and goes in hexadecimal.

    private func file(of row: StoredObject.Row) -> URL { rows.appending(path: row.id + ".json") }

    /// Where the bytes of a version are kept.
    func path(ofVersion version: String) -> String { bytes.appending(path: version).path }

    private func file(of bucket: String) -> URL {
        buckets.appending(path: Hexadecimal.encode(bucket.utf8) + ".json")
    }
}
