#if Everything
import GRDB

/// Rows in a real SQLite database in memory, with times that SQLite asks for.
struct Rows: Sendable {
    private let database: DatabaseQueue

    init() throws {
        database = try DatabaseQueue()
        try database.write { db in
            try db.execute(
                sql: "create table t(id integer primary key, v text, at text default (strftime('%f','now')))"
            )
        }
    }

    func insert(_ text: String) throws {
        try database.write { try $0.execute(sql: "insert into t(v) values (?)", arguments: [text]) }
    }

    func all() throws -> [String] {
        try database.read { try String.fetchAll($0, sql: "select v || ' ' || at from t order by id") }
    }
}
#else
import Foundation
import Synchronization

/// Rows in a list, where the engine is built alone, without SQLite.
final class Rows: Sendable {
    private let rows = Mutex<[String]>([])

    init() throws {}

    func insert(_ text: String) throws {
        rows.withLock { $0.append("\(text) \(Date().timeIntervalSince1970)") }
    }

    func all() throws -> [String] { rows.withLock { $0 } }
}
#endif
