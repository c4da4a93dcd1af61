import Foundation
import GRDB

/// A row of the table behind every ``Outbox``, and the statements on one entry.
struct OutboxRow {
    /// How often in a row work may end the process before it is set aside.
    static let crashLimit = 3

    /// The longest reason that is kept, in bytes; services may answer with whole pages.
    private static let reasonLimit = 65_536

    let id: Int64
    let identity: String
    let lane: String
    let kind: String
    let state: String
    let failures: Int
    /// Failures since the entry was added, retried on request, or revived, or has come further than before.
    let seriesFailures: Int
    let isSuperseded: Bool
    /// Whether it is in work, done, or was attempted with an end that is not known: a service may do it at any time.
    let mayTakeEffect: Bool
    let receipt: Data?
    let checkpoint: Data?
    let expires: Date?
    let lease: UUID?
    private let row: Row

    /// What is read of an entry, in this order: a column is found by its place, since its name would be searched for among all.
    fileprivate enum Column: Int, CaseIterable {
        case id, queue, identity, lane, kind, idempotencyKey, payload, version, state, attempts, failures,
            seriesFailures
        case crashes, reason, isTransient, isSuperseded, checkpoint, receipt, due, expires, lease, addedAt
    }

    /// The columns that ``init(_:)`` reads, for a `SELECT`.
    static let columns = Column.allCases.map { "\($0)" }.joined(separator: ", ")

    /// Reads a row of ``columns``.
    init(_ row: Row) throws {
        self.row = row
        id = try row.checked(.id)
        identity = try row.checked(.identity)
        lane = try row.checked(.lane)
        kind = try row.checked(.kind)
        state = try row.checked(.state)
        failures = try row.checked(.failures)
        seriesFailures = try row.checked(.seriesFailures)
        isSuperseded = try row.checked(.isSuperseded)
        receipt = try row.checkedOptional(.receipt)
        checkpoint = try row.checkedOptional(.checkpoint)
        expires = try row.checkedOptional(.expires).map { Date(timeIntervalSinceReferenceDate: $0) }
        lease = try row.checkedOptional(.lease).flatMap { UUID(uuidString: $0) }
        // Where a count is damaged, nobody knows that there was no attempt.
        let wasAttempted = (try? row.checked(.attempts) as Int) != 0
        let hasFailed = state == "failed" && (try? row.checked(.isTransient) as Bool) == false
        mayTakeEffect = lease != nil || receipt != nil || wasAttempted && !hasFailed
    }

    /// The entry as the outside sees it.
    func entry<Work: OutboxWork>(_: Work.Type = Work.self) throws -> OutboxEntry<Work> {
        guard let state = OutboxEntry<Work>.State(rawValue: state),
            let key = UUID(uuidString: try row.checked(.idempotencyKey))
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "queue entry \(id) is damaged") }
        return OutboxEntry(
            id: id,
            identity: identity,
            idempotencyKey: key,
            work: try work(),
            state: state,
            attempts: try row.checked(.attempts),
            failures: failures,
            crashes: try row.checked(.crashes),
            reason: try row.checkedOptional(.reason).map { Self.reason($0) },
            due: try row.checkedOptional(.due).map { Date(timeIntervalSinceReferenceDate: $0) },
            addedAt: Date(timeIntervalSinceReferenceDate: try row.checked(.addedAt)),
            isFinal: try state == .failed && !row.checked(.isTransient),
            savedCheckpoint: checkpoint
        )
    }

    private func work<Work: OutboxWork>() throws -> Work {
        var stored: Data = try row.checked(.payload)
        let version: Int = try row.checked(.version)
        guard version <= Work.version else {
            let message =
                "queue entry \(id) has version \(version), and this program knows \(Work.version): update the app"
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: message)
        }
        if version < Work.version { stored = try Work.migrate(stored, from: version) }
        return try StoredForm.decode(Work.self, from: stored)
    }

    /// What ``stored(_:)`` has written; other text comes from the first edition.
    private static func reason<Failure>(_ stored: String) -> OutboxReason<Failure> {
        (try? StoredForm.decode(OutboxReason<Failure>.self, from: Data(stored.utf8))) ?? .noted(stored)
    }

    /// A reason as the table keeps it; one that is too long as the beginning of its text.
    static func stored(_ reason: OutboxReason<some Error & Codable & Hashable & Sendable>) -> String {
        if let data = try? StoredForm.encode(reason), let text = String(bytes: data, encoding: .utf8),
            text.utf8.count <= reasonLimit
        {
            return text
        }
        return String("\(reason)".prefix(1_000))
    }

    // MARK: Reading

    /// The row as it is, which may be damaged.
    static func find(_ identity: String, queue: String, _ database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT \(columns) FROM outbox WHERE queue = ? AND identity = ? AND isSuperseded = 0"
            ),
            arguments: [queue, identity]
        )
    }

    /// The rows of an identity as they are: the current one, and what it has superseded.
    static func findAll(_ identity: String, queue: String, _ database: Database) throws -> [Row] {
        let superseded = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT \(columns) FROM outbox INDEXED BY outboxSuperseded
                    WHERE queue = ? AND identity = ? AND isSuperseded <> 0
                    """
            ),
            arguments: [queue, identity]
        )
        return try superseded + (find(identity, queue: queue, database).map { [$0] } ?? [])
    }

    /// The row of a number, as it is.
    static func find(_ id: Int64, _ database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(columns) FROM outbox WHERE id = ?"),
            arguments: [id]
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
                    SELECT \(columns) FROM outbox
                    WHERE identity = :identity AND queue <> :queue AND substr(queue, 1, length(:prefix)) = :prefix
                    """
            ),
            arguments: ["identity": identity, "queue": queue, "prefix": prefix]
        )
    }

    /// The rows as they are, which may be damaged; without those that were superseded.
    static func all(queue: String, _ database: Database) throws -> [Row] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT \(columns) FROM outbox WHERE queue = ? AND isSuperseded = 0 ORDER BY id"
            ),
            arguments: [queue]
        )
    }

    /// What the table calls a lane that work has named; others are called by the identity of their work.
    static func name(ofLane lane: String) -> String { ":\(lane)" }

    /// The rows of a lane as they are, which may be damaged; without those that were superseded.
    static func all(lane: String, queue: String, _ database: Database) throws -> [Row] {
        // Each half has an index of its own.
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT \(columns) FROM outbox
                    WHERE queue = ?1 AND lane = ?2 AND isSuperseded = 0 AND (state <> 'failed' OR isTransient <> 0)
                    UNION ALL
                    SELECT \(columns) FROM outbox
                    WHERE queue = ?1 AND lane = ?2 AND isSuperseded = 0 AND state = 'failed' AND isTransient = 0
                    ORDER BY id
                    """
            ),
            arguments: [queue, lane]
        )
    }

    /// All rows as they are.
    static func everything(queue: String, _ database: Database) throws -> [Row] {
        try Row.fetchAll(
            database,
            sql: "SELECT \(columns) FROM outbox WHERE queue = ? ORDER BY id",
            arguments: [queue]
        )
    }

    static func holds(_ id: Int64, _ lease: UUID, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE id = ? AND lease = ?)"
            ),
            arguments: [id, lease.uuidString]
        ) ?? false
    }

    // MARK: Writing

    func begin(_ lease: UUID, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET state = 'inWork', attempts = attempts + 1, due = NULL, turn = NULL, lease = ?
                WHERE id = ?
                """
        ).execute(arguments: [lease.uuidString, id])
    }

    func lease(_ lease: UUID, _ database: Database) throws {
        try database.cachedStatement(
            sql: "UPDATE outbox SET lease = ?, due = NULL, turn = NULL WHERE id = ?"
        ).execute(arguments: [lease.uuidString, id])
    }

    /// Keeps a checkpoint; a number beyond all others of this series of failures begins a new series.
    static func save(
        _ checkpoint: Data,
        _ progress: Int?,
        _ id: Int64,
        _ lease: UUID,
        _ database: Database
    ) throws -> Bool {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET checkpoint = :checkpoint,
                    seriesFailures = CASE WHEN :progress > progress THEN 0 ELSE seriesFailures END,
                    progress = max(progress, coalesce(:progress, 0))
                WHERE id = :id AND lease = :lease
                """
        ).execute(arguments: [
            "checkpoint": checkpoint, "progress": progress, "id": id, "lease": lease.uuidString,
        ])
        return database.changesCount == 1
    }

    /// Keeps the receipt of work that is done, to be recorded from `due` on.
    func complete(_ receipt: Data, due: Date, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET state = 'done', receipt = ?, reason = NULL, checkpoint = NULL, due = ?, turn = NULL,
                    lease = NULL
                WHERE id = ?
                """
        ).execute(arguments: [receipt, due.timeIntervalSinceReferenceDate, id])
    }

    /// Notes a failure; the next attempt is due at a time, after a revival, or never.
    func fail(
        _ reason: OutboxReason<some Error & Codable & Hashable & Sendable>,
        isTransient: Bool,
        due: Date?,
        revives: Date?,
        now: Date,
        _ database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET state = 'failed', failures = failures + 1, seriesFailures = seriesFailures + 1,
                    reason = ?, isTransient = ?, due = ?, revives = ?, failedAt = ?, turn = NULL, lease = NULL, crashes = 0
                WHERE id = ?
                """
        ).execute(arguments: [
            Self.stored(reason), isTransient, due?.timeIntervalSinceReferenceDate,
            revives?.timeIntervalSinceReferenceDate, now.timeIntervalSinceReferenceDate, id,
        ])
    }

    /// Takes an entry out of the work that was not begun; its counts may be what is damaged, and stay as they are.
    static func setAside(
        _ id: Int64,
        _ reason: OutboxReason<some Error & Codable & Hashable & Sendable>,
        now: Date,
        _ database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET state = 'failed', reason = ?, isTransient = 0, failedAt = ?, due = NULL, turn = NULL,
                    lease = NULL
                WHERE id = ?
                """
        ).execute(arguments: [stored(reason), now.timeIntervalSinceReferenceDate, id])
    }

    func makePending(freshSeries: Bool, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET state = CASE WHEN receipt IS NULL THEN 'pending' ELSE 'done' END, due = NULL,
                    turn = NULL, lease = NULL, crashes = 0,
                    seriesFailures = CASE WHEN :fresh THEN 0 ELSE seriesFailures END,
                    progress = CASE WHEN :fresh THEN 0 ELSE progress END,
                    expires = CASE WHEN :fresh THEN NULL ELSE expires END
                WHERE id = :id
                """
        ).execute(arguments: ["fresh": freshSeries, "id": id])
    }

    func supersede(_ database: Database) throws {
        try database.cachedStatement(sql: "UPDATE outbox SET isSuperseded = 1 WHERE id = ?").execute(
            arguments: [id])
    }

    static func delete(_ id: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM outbox WHERE id = ?").execute(arguments: [id])
    }
}

extension Row {
    fileprivate func checked<Value: DatabaseValueConvertible>(_ column: OutboxRow.Column) throws -> Value {
        guard let value: Value = try checkedOptional(column) else { throw Self.unusable("\(column)") }
        return value
    }

    fileprivate func checkedOptional<Value: DatabaseValueConvertible>(
        _ column: OutboxRow.Column
    ) throws -> Value? {
        try Self.checked(self[column.rawValue], of: "\(column)")
    }
}
