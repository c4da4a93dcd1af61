import Foundation
import PeerKit
import Synchronization

/// The uploads of a project that come in parts.
///
/// With a folder, each has a JSON file with its record, and a file with its bytes so far: a server that is started later goes on
/// with it. One that has expired is known for as long again as it lived, so that its client learns what became of it; its bytes
/// are gone at once.
final class ResumableUploads: Sendable {
    private struct State {
        var uploads: [String: ResumableUpload] = [:]
        var unevenChunks = 0
    }

    private let folder: URL?
    private let budget: MemoryBudget
    private let lifetime: Duration
    private let state: Mutex<State>

    /// Takes over what the folder holds from earlier.
    init(folder: String?, _ budget: MemoryBudget, lifetime: Duration) throws {
        self.folder = folder.map {
            URL(filePath: $0, directoryHint: .isDirectory).appending(
                path: "uploads",
                directoryHint: .isDirectory
            )
        }
        self.budget = budget
        self.lifetime = lifetime
        var found: [String: ResumableUpload] = [:]
        if let folder = self.folder {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let file = folder.appending(path: name)
                if file.pathExtension == "json" {
                    let record = try JSONDecoder().decode(
                        ResumableUpload.Record.self,
                        from: Data(contentsOf: file)
                    )
                    found[record.version] = try Self.upload(record, in: folder, budget)
                }
            }
            // Bytes come after their record, and go before it.
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".part") && found[String(name.dropLast(5))] == nil {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        }
        state = Mutex(State(uploads: found))
    }

    /// How many parts were neither 6 MiB nor the last of their upload, which the hosted service may refuse.
    var unevenChunkCount: Int { state.withLock(\.unevenChunks) }

    /// How many are neither at their end nor expired.
    var openCount: Int {
        let now = Date()
        return state.withLock { state in
            state.uploads.values.count { !$0.record.isFinished && $0.record.expiry > now }
        }
    }

    func noteUnevenChunk() { state.withLock { $0.unevenChunks += 1 } }

    /// Begins an upload.
    func begin(_ record: ResumableUpload.Record) throws(StorageFailure) -> ResumableUpload {
        sweep()
        try write(record)
        let upload: ResumableUpload
        do { upload = try Self.upload(record, in: folder, budget) } catch {
            remove(record.version)
            throw error
        }
        state.withLock { $0.uploads[record.version] = upload }
        return upload
    }

    /// The upload of an identifier.
    func find(_ identifier: String) -> ResumableUpload? {
        guard let (name, version) = ResumableUpload.parts(of: identifier) else { return nil }
        let upload = state.withLock { $0.uploads[version] }
        return upload?.record.name == name ? upload : nil
    }

    /// Keeps what has become known of an upload.
    func update(
        _ upload: ResumableUpload,
        _ change: (inout ResumableUpload.Record) -> Void
    ) throws(StorageFailure) {
        var record = upload.record
        change(&record)
        try write(record)
        upload.replace(record)
    }

    /// The object is stored: what is known of the upload stays, and its bytes are the object's.
    func finish(_ upload: ResumableUpload) throws(StorageFailure) {
        let length = upload.offset
        try update(upload) { record in
            record.isFinished = true
            record.length = length
        }
        upload.content.discard(MemoryBudget.Share(of: budget))
    }

    /// Forgets an upload and its bytes.
    func remove(_ upload: ResumableUpload) {
        upload.content.discard(MemoryBudget.Share(of: budget))
        remove(upload.record.version)
    }

    private func remove(_ version: String) {
        state.withLock { $0.uploads[version] = nil }
        if let file = folder?.appending(path: version + ".json") {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Discards what has expired.
    private func sweep() {
        let now = Date()
        for upload in state.withLock({ Array($0.uploads.values) }) {
            let expiry = upload.record.expiry
            guard expiry <= now, upload.lock.takeIfFree() else { continue }
            defer { upload.lock.release() }
            if expiry + lifetime / .seconds(1) <= now {
                remove(upload)
            } else {
                upload.content.discard(MemoryBudget.Share(of: budget))
            }
        }
    }

    private func write(_ record: ResumableUpload.Record) throws(StorageFailure) {
        guard let file = folder?.appending(path: record.version + ".json") else { return }
        do { try JSONEncoder().encode(record).write(to: file, options: .atomic) } catch {
            throw .unexpected("the folder cannot be written")
        }
    }

    private static func upload(
        _ record: ResumableUpload.Record,
        in folder: URL?,
        _ budget: MemoryBudget
    ) throws(StorageFailure) -> ResumableUpload {
        let share = MemoryBudget.Share(of: budget)
        try share.grow(by: record.memoryUse)
        // The row that the object will have.
        let contentShare = MemoryBudget.Share(of: budget)
        if !record.isFinished { try contentShare.grow(by: record.memoryUse) }
        let content = try PartialContent(
            path: record.isFinished ? nil : folder?.appending(path: record.version + ".part").path,
            contentShare
        )
        return ResumableUpload(record, content, share)
    }
}
