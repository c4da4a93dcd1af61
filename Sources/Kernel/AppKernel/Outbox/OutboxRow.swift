import Foundation
import GRDB

/// The table behind every ``Outbox``, and the statements on it.
///
/// Times are seconds since the start of 2001 in UTC, as `Date` itself counts, so that they survive to the bit.
struct OutboxRow {
    static let schema = [
        SchemaStep(
            "outbox-1",
            sql: """
                CREATE TABLE outbox (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    queue TEXT NOT NULL,
                    identity TEXT NOT NULL,
                    idempotencyKey TEXT NOT NULL,
                    payload BLOB NOT NULL,
                    state TEXT NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    failures INTEGER NOT NULL DEFAULT 0,
                    seriesFailures INTEGER NOT NULL DEFAULT 0,
                    lastError TEXT,
                    receipt BLOB,
                    due REAL,
                    lease TEXT,
                    addedAt REAL NOT NULL,
                    UNIQUE (queue, identity)
                );
                """
        ),
        OutboxHold.schema,
        SchemaStep(
            "outbox-3-recovery",
            sql: """
                ALTER TABLE outbox ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE outbox ADD COLUMN isTransient INTEGER NOT NULL DEFAULT 0;
                """
        ),
    ]

    /// How often in a row work may end the process before it is set aside.
    static let crashLimit = 3

    /// The longest error text that is kept, in characters; services may answer with whole pages.
    private static let errorLimit = 1_000

    let id: Int64
    let identity: String
    let state: String
    let failures: Int
    /// Failures since the entry was added or retried on request.
    let seriesFailures: Int
    let receipt: Data?
    let lease: UUID?
    private let row: Row

    init(_ row: Row) throws {
        self.row = row
        id = try row.checked("id")
        identity = try row.checked("identity")
        state = try row.checked("state")
        failures = try row.checked("failures")
        seriesFailures = try row.checked("seriesFailures")
        receipt = try row.checkedOptional("receipt")
        lease = try row.checkedOptional("lease").flatMap { UUID(uuidString: $0) }
    }

    /// The entry as the outside sees it.
    func entry<Payload: Codable & Sendable>() throws -> OutboxEntry<Payload> {
        guard let state = OutboxEntry<Payload>.State(rawValue: state),
            let key = UUID(uuidString: try row.checked("idempotencyKey"))
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "queue entry \(id) is damaged") }
        return OutboxEntry(
            id: id,
            identity: identity,
            idempotencyKey: key,
            payload: try JSONDecoder().decode(Payload.self, from: try row.checked("payload")),
            state: state,
            attempts: try row.checked("attempts"),
            failures: failures,
            crashes: try row.checked("crashes"),
            lastError: try row.checkedOptional("lastError"),
            due: try row.checkedOptional("due").map { Date(timeIntervalSinceReferenceDate: $0) },
            addedAt: Date(timeIntervalSinceReferenceDate: try row.checked("addedAt"))
        )
    }

    // MARK: Reading

    /// The row as it is, which may be damaged.
    static func find(_ identity: String, queue: String, _ database: Database) throws -> Row? {
        try Row.fetchOne(
            database,
            sql: "SELECT * FROM outbox WHERE queue = ? AND identity = ?",
            arguments: [queue, identity]
        )
    }

    /// The rows of an identity in other queues, as they are.
    static func find(
        _ identity: String,
        queuesBeginning prefix: String,
        butFor queue: String,
        _ database: Database
    ) throws -> [Row] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT * FROM outbox
                    WHERE identity = :identity AND queue <> :queue AND substr(queue, 1, length(:prefix)) = :prefix
                    """
            ),
            arguments: ["identity": identity, "queue": queue, "prefix": prefix]
        )
    }

    /// The rows as they are, which may be damaged.
    static func all(queue: String, _ database: Database) throws -> [Row] {
        try Row.fetchAll(
            database.cachedStatement(sql: "SELECT * FROM outbox WHERE queue = ? ORDER BY id"),
            arguments: [queue]
        )
    }

    /// The oldest entry that nobody works on and whose time has come; it may be damaged.
    ///
    /// - Parameter onlyDone: Looks only at work that is done and has to be recorded.
    static func next(
        queue: String,
        now: Date,
        farthest: Date,
        onlyDone: Bool,
        _ database: Database
    ) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT * FROM outbox
                    WHERE queue = ? AND lease IS NULL AND (state = 'completed' OR NOT ?) AND (
                        state = 'pending'
                        OR (state = 'completed' AND due IS NULL)
                        OR (state IN ('failed', 'completed') AND due IS NOT NULL AND (due <= ? OR due > ?)))
                    ORDER BY id LIMIT 1
                    """
            ),
            arguments: [
                queue, onlyDone, now.timeIntervalSinceReferenceDate, farthest.timeIntervalSinceReferenceDate,
            ]
        )
    }

    static func earliestDue(queue: String, state: String, _ database: Database) throws -> Date? {
        try Double.fetchOne(
            database,
            // What is no number is damage; it does not hide the times of others.
            sql: """
                SELECT min(due) FROM outbox
                WHERE queue = ? AND state = ? AND lease IS NULL AND typeof(due) IN ('real', 'integer')
                """,
            arguments: [queue, state]
        ).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    static func holds(_ id: Int64, _ lease: UUID, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE id = ? AND lease = ?)",
            arguments: [id, lease.uuidString]
        ) ?? false
    }

    // MARK: Recovering

    /// Ends the work that the process did when it died; what has ended it too often is set aside.
    static func recover(queue: String, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE outbox SET crashes = crashes + 1, isTransient = 0, due = NULL,
                    state = CASE WHEN crashes + 1 >= :limit THEN 'failed' ELSE 'pending' END,
                    lastError = CASE WHEN crashes + 1 >= :limit THEN :error ELSE lastError END
                WHERE queue = :queue AND state = 'uploading'
                """,
            arguments: [
                "queue": queue, "limit": crashLimit,
                "error": "the process ended \(crashLimit) times in a row during this work",
            ]
        )
        try database.execute(sql: "UPDATE outbox SET lease = NULL WHERE queue = ?", arguments: [queue])
    }

    /// Makes pending again what has failed for a passing reason and is not repeated by itself any more.
    ///
    /// - Returns: The identities of those entries.
    static func revive(queue: String, _ database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                UPDATE outbox SET state = 'pending', seriesFailures = 0
                WHERE queue = ? AND state = 'failed' AND due IS NULL AND isTransient
                RETURNING CAST(identity AS TEXT)
                """,
            arguments: [queue]
        )
    }

    // MARK: Writing

    static func insert(
        queue: String,
        identity: String,
        payload: Data,
        now: Date,
        _ database: Database
    ) throws -> OutboxRow {
        try database.execute(
            sql: """
                INSERT INTO outbox (queue, identity, idempotencyKey, payload, state, addedAt)
                VALUES (?, ?, ?, ?, 'pending', ?)
                """,
            arguments: [queue, identity, UUID().uuidString, payload, now.timeIntervalSinceReferenceDate]
        )
        guard let row = try find(identity, queue: queue, database) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL, message: "the new queue entry is not there")
        }
        return try OutboxRow(row)
    }

    static func begin(_ id: Int64, _ lease: UUID, _ database: Database) throws {
        try database.execute(
            sql:
                "UPDATE outbox SET state = 'uploading', attempts = attempts + 1, due = NULL, lease = ? WHERE id = ?",
            arguments: [lease.uuidString, id]
        )
    }

    static func lease(_ id: Int64, _ lease: UUID, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE outbox SET lease = ?, due = NULL WHERE id = ?",
            arguments: [lease.uuidString, id]
        )
    }

    static func complete(_ id: Int64, _ lease: UUID, _ receipt: Data, _ database: Database) throws -> Bool {
        try database.execute(
            sql:
                "UPDATE outbox SET state = 'completed', receipt = ?, lastError = NULL WHERE id = ? AND lease = ?",
            arguments: [receipt, id, lease.uuidString]
        )
        return database.changesCount == 1
    }

    static func fail(
        _ id: Int64,
        error: String,
        isTransient: Bool,
        due: Date?,
        _ database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE outbox SET state = 'failed', failures = failures + 1, seriesFailures = seriesFailures + 1,
                    lastError = ?, isTransient = ?, due = ?, lease = NULL, crashes = 0
                WHERE id = ?
                """,
            arguments: [
                String(error.prefix(errorLimit)), isTransient, due?.timeIntervalSinceReferenceDate, id,
            ]
        )
    }

    /// Takes a damaged entry out of the work; its counts may be what is damaged, and stay as they are.
    static func quarantine(_ id: Int64, error: String, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE outbox SET state = 'failed', lastError = ?, isTransient = 0, due = NULL, lease = NULL
                WHERE id = ?
                """,
            arguments: [String(error.prefix(errorLimit)), id]
        )
    }

    static func postpone(_ id: Int64, _ lease: UUID, due: Date, _ database: Database) throws {
        try database.execute(
            sql: "UPDATE outbox SET due = ?, lease = NULL WHERE id = ? AND lease = ?",
            arguments: [due.timeIntervalSinceReferenceDate, id, lease.uuidString]
        )
    }

    static func makePending(_ id: Int64, freshSeries: Bool, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE outbox SET state = 'pending', due = NULL, lease = NULL, crashes = 0,
                    seriesFailures = CASE WHEN ? THEN 0 ELSE seriesFailures END
                WHERE id = ?
                """,
            arguments: [freshSeries, id]
        )
    }

    static func delete(_ id: Int64, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM outbox WHERE id = ?", arguments: [id])
    }
}
