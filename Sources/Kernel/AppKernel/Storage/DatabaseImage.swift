internal import GRDB
internal import GRDBSQLite

/// Everything that a database holds, to begin others with (``AppDatabase/init(beginningAs:)``).
///
/// Opening one costs a fraction of making its tables by their steps, and gives the same.
public struct DatabaseImage: Sendable {
    /// The pages, as they would stand in a file.
    let pages: [UInt8]
    /// The steps of the schema that have been made.
    let steps: Set<String>

    init(of database: Database) throws {
        steps = try String.fetchSet(database, sql: "SELECT name FROM schemaStep")
        var count: sqlite3_int64 = 0
        guard let connection = unsafe database.sqliteConnection,
            let copy = unsafe sqlite3_serialize(connection, "main", &count, 0)
        else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        defer { unsafe sqlite3_free(copy) }
        pages = unsafe [UInt8](UnsafeBufferPointer(start: copy, count: Int(count)))
    }

    /// Makes the pages the contents of a database that was just opened.
    func load(into database: Database) throws {
        let count = sqlite3_uint64(pages.count)
        guard let connection = unsafe database.sqliteConnection, let copy = unsafe sqlite3_malloc64(count)
        else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        unsafe pages.withUnsafeBytes {
            unsafe copy.copyMemory(from: $0.baseAddress ?? .init(copy), byteCount: $0.count)
        }
        // SQLite frees the copy with the connection, and when it refuses it.
        let status = unsafe sqlite3_deserialize(
            connection,
            "main",
            copy.assumingMemoryBound(to: UInt8.self),
            sqlite3_int64(count),
            sqlite3_int64(count),
            UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        )
        guard status == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: status)) }
    }
}
