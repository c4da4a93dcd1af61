import Foundation
import GRDB

/// A recording whose writer was killed in the middle of a batch: SQLite's journal beside it has what the batch changed.
///
/// Both are copied, and the copy is rolled back: nothing needs the right to change the recording, and what comes from
/// elsewhere stays as it is.
final class InterruptedSession: Sendable {
    /// The recording as it was after its last whole batch.
    let path: String
    private let folder: String

    /// What SQLite appends to the name of a database for that of its journal.
    static let journal = "-journal"

    /// Copies and rolls back the recording at `path`; `nil` when no batch was interrupted.
    ///
    /// - Throws: ``SessionError``, `damaged` when it cannot be rolled back.
    init?(at path: String) throws(SessionError) {
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        guard Self.size(of: real + Self.journal) > 0 else { return nil }
        // Whoever holds the lock is writing now, and its journal is in use.
        guard let lock = try? FileLock(path: real, flags: O_RDONLY) else { return nil }
        defer { lock.release() }
        guard Self.size(of: real + Self.journal) > 0 else { return nil }
        var template = Array(
            (FileManager.default.temporaryDirectory.path + "/lenssession-XXXXXX").utf8CString
        )
        guard unsafe mkdtemp(&template) != nil else {
            throw .damaged(
                path: path,
                detail: "its last batch cannot be rolled back: there is no room for a copy"
            )
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.path = folder + "/recording"
        do {
            for ending in ["", Self.journal] {
                try FileManager.default.copyItem(atPath: real + ending, toPath: self.path + ending)
            }
            try Self.rollBack(self.path)
        } catch {
            throw .damaged(path: path, detail: "its last batch cannot be rolled back: \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Undoes an interrupted batch in the file itself; harmless where there is none.
    static func rollBack(_ path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        // The first reading does it.
        try database.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
        try database.close()
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }
}
