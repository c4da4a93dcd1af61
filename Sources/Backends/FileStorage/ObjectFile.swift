import Files
import Foundation
import ObjectTransfer

/// One object on the disk: its file, and the file with what is kept about it.
struct ObjectFile: Sendable {
    private static let pieceSize = 256 << 10
    /// A record is below 70 KiB: metadata of some kilobytes, and two of them.
    private static let recordLengthMaximum = 1 << 20

    let files: any FileSystem
    let root: String
    let folders: [String]
    let name: String

    var folder: String { ([root] + folders).joined(separator: "/") }
    var path: String { "\(folder)/\(name)" }
    private var recordFolder: String {
        ([root, ObjectPaths.informationFolder] + folders).joined(separator: "/")
    }
    private var recordPath: String { "\(recordFolder)/\(name).json" }

    /// What is known of the object.
    ///
    /// While an object is replaced two records are kept. The right one has the size and the time of the file, and, where that is not enough, its digest.
    ///
    /// - Throws: `missing` where there is no such file.
    func record() throws(FileFailure) -> ObjectRecord {
        let size = try files.size(of: path)
        let modified = try files.modificationTime(of: path).timeIntervalSince1970
        let kept = records().filter { $0.size == size }
        if kept.count == 1, kept[0].modified == modified { return kept[0] }
        let digest = try digest(size)
        if var known = kept.first(where: { $0.digest == digest }) {
            known.modified = modified
            return known
        }
        return ObjectRecord(found: name, size: size, digest: digest, modified: modified)
    }

    /// A damaged record is as none: the object is there all the same.
    private func records() -> [ObjectRecord] {
        guard let bytes = try? files.read(recordPath, upTo: Self.recordLengthMaximum) else { return [] }
        return (try? JSONDecoder().decode([ObjectRecord].self, from: Data(bytes))) ?? []
    }

    private func digest(_ size: Int) throws(FileFailure) -> String {
        var digest = ContentDigest()
        var start = 0
        while start < size {
            let piece = try files.read(path, from: start, count: min(Self.pieceSize, size - start))
            if piece.isEmpty { break }
            digest.add(piece)
            start += piece.count
        }
        return digest.text
    }

    /// Keeps records durably, in the place of those before.
    func save(_ records: [ObjectRecord], through draft: String) throws(FileFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes: [UInt8]
        do { bytes = Array(try encoder.encode(records)) } catch {
            throw FileFailure(.disk, operation: "encode the record of", path: path, detail: "\(error)")
        }
        let file = try files.createFile(draft)
        do throws(FileFailure) {
            defer { file.close() }
            try file.write(bytes)
            try file.sync()
        } catch {
            _ = try? files.remove(draft)
            throw error
        }
        try files.rename(draft, to: recordPath)
        try files.syncFolder(recordFolder)
    }

    /// Removes the object durably, and then what is kept about it.
    func remove() throws(FileFailure) {
        if try files.remove(path) { try files.syncFolder(folder) }
        _ = try files.remove(recordPath)
    }
}
