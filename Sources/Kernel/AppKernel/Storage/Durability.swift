internal import GRDB

/// What a change of an ``AppDatabase`` survives once the call that made it has returned.
///
/// In both cases a transaction is there as a whole or not at all, whenever the process ends or the power goes.
public enum Durability: Sendable, Hashable, CaseIterable {
    /// A power cut right after the call.
    ///
    /// The journal is a rollback journal in `TRUNCATE` mode with `synchronous = FULL`: one file at rest and no shared memory, which
    /// suits a single connection, and SQLite syncs the truncated journal, so that a commit survives a power cut right after it (with
    /// `DELETE` the unlinked journal could come back and undo it).
    case full
    /// The end of the process, also by a crash; a power cut may lose the last transactions, the newest first.
    ///
    /// The journal is a write-ahead log (`WAL`) with `synchronous = NORMAL`, which waits for the disk at checkpoints alone
    /// (sqlite.org/pragma.html#pragma_synchronous): for what is worth less than its time on the disk, or can be had again. While the
    /// file is open two more are next to it, of up to 16 MB and a little more.
    case normal

    /// The length, in pages, from which a log is written back to its database: 16 MB with pages of 4 KB.
    ///
    /// Four times SQLite's own, for a quarter of the waits for the disk.
    static let logLength = 4_000

    /// Sets up a connection.
    func prepare(_ database: Database) throws {
        switch self {
        case .full:
            // The pragma answers with a row, so `execute` cannot be used.
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = TRUNCATE")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        case .normal:
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            // Where there can be no log, as on some network file systems, a rollback journal needs every sync.
            try database.execute(sql: "PRAGMA synchronous = \(mode == "wal" ? "NORMAL" : "FULL")")
            _ = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint = \(Self.logLength)")
        }
    }
}
