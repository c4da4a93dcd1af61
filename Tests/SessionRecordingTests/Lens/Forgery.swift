import GRDB
import LensScenarios
import ScenarioKit
import SessionRecording

/// A session in which anything may be changed.
struct Forgery {
    let path: String

    /// Changes what the tables' own constraints would refuse too.
    func change(_ sql: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let text = try queue.writeWithoutTransaction { db in
            let text = try Row.fetchAll(db, sql: "SELECT rowid, sql FROM sqlite_master")
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '');
                    PRAGMA writable_schema = RESET;
                    """
            )
            return text
        }
        try queue.writeWithoutTransaction { db in
            // What SQLite itself refuses nobody can write.
            try? db.execute(sql: sql)
            try db.execute(sql: "PRAGMA writable_schema = ON")
            for row in text {
                try db.execute(
                    sql: "UPDATE sqlite_master SET sql = ? WHERE rowid = ?",
                    arguments: [row["sql"], row["rowid"]]
                )
            }
        }
        try queue.close()
    }

    func setParameter(_ name: String, _ value: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql:
                    "UPDATE fact SET value = json_set(value, '$.parameters.' || ?, ?) WHERE name = 'manifest'",
                arguments: [name, value]
            )
        }
        try queue.close()
    }

    /// Reads all of it and replays it, and returns what is wrong with it; any other error is thrown.
    func damage() throws -> SessionError? {
        do {
            let session = try SessionReader(path: path)
            for number in try session.connections().indices { _ = try session.messages(of: number) }
            for look in try session.looks() { _ = try session.picture(look.hash) }
            _ = try (session.events(), session.files(), session.screens())
            _ = try session.replay()
            return nil
        } catch let error as SessionError {
            return error
        }
    }
}
