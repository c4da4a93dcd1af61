internal import Foundation
internal import GRDB

/// The tables behind ``OptimisticEntities``: what the service has said last of each entity, and how new that is.
struct OptimisticBase {
    static let steps = [
        SchemaStep(
            "optimistic-1",
            sql: """
                CREATE TABLE optimisticBase (
                    queue TEXT NOT NULL, entity TEXT NOT NULL, value BLOB NOT NULL, version INTEGER NOT NULL,
                    PRIMARY KEY (queue, entity)) WITHOUT ROWID;
                CREATE TABLE optimisticEra (queue TEXT PRIMARY KEY NOT NULL, era INTEGER NOT NULL, version INTEGER NOT NULL);
                """
        )
    ]

    let queue: String

    /// The number of the sign-in, which changes when all is forgotten.
    func era(_ database: Database) throws -> Int {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT era FROM optimisticEra WHERE queue = ?"),
            arguments: [queue]
        ) ?? 0
    }

    /// A version that is newer than all before.
    func nextVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    INSERT INTO optimisticEra VALUES (?, 0, 1)
                    ON CONFLICT (queue) DO UPDATE SET version = version + 1 RETURNING version
                    """
            ),
            arguments: [queue]
        ) ?? 1
    }

    /// Keeps what the service has said, unless something newer is known.
    func keep(_ value: Data, of entity: String, version: Int, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO optimisticBase VALUES (?, ?, ?, ?)
                ON CONFLICT (queue, entity) DO UPDATE SET value = excluded.value, version = excluded.version
                WHERE excluded.version >= version
                """
        ).execute(arguments: [queue, entity, value, version])
    }

    /// What the service has said last.
    func value(of entity: String, _ database: Database) throws -> Data? {
        try Data.fetchOne(
            database.cachedStatement(
                sql: "SELECT value FROM optimisticBase WHERE queue = ? AND entity = ?"
            ),
            arguments: [queue, entity]
        )
    }

    /// Forgets all of it, and lets no reading that is under way bring it back.
    func forget(_ database: Database) throws {
        try database.execute(sql: "DELETE FROM optimisticBase WHERE queue = ?", arguments: [queue])
        try database.execute(
            sql: """
                INSERT INTO optimisticEra VALUES (?, 1, 0)
                ON CONFLICT (queue) DO UPDATE SET era = era + 1
                """,
            arguments: [queue]
        )
    }
}
