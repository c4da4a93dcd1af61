import Foundation
import GRDB

/// Keeps those who ask from opening a database at the same time, in this process and in others.
///
/// It is SQLite's own lock on an empty file next to the database: the system ends it with its process, however that ends, and a simulated disk
/// does the same.
final class DatabaseOwnership: Sendable {
    /// What the file's name adds to that of the database.
    private static let suffix = "-owner"

    private let queue: DatabaseQueue

    /// Takes a database; `nil` where somebody else has it.
    ///
    /// - Throws: A `DatabaseError`, where the file cannot be made.
    init?(of path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        do {
            queue = try DatabaseQueue(path: path + Self.suffix, configuration: configuration)
            try queue.inDatabase { database in
                // Locks stay until the connection is closed (sqlite.org/pragma.html#pragma_locking_mode).
                _ = try String.fetchOne(database, sql: "PRAGMA locking_mode = EXCLUSIVE")
                try database.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return nil
        }
    }

    /// Gives it back.
    func end() throws { try queue.close() }
}
