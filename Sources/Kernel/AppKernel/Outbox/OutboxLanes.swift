import Foundation
import GRDB

/// Whose turn it is: the statements on the lanes of a queue.
///
/// The column `turn` is set for the entries that may be taken, and is the time from which they may, ``atOnce`` without one: at most one of
/// each lane, the oldest that blocks it. What is in work or has failed for good has none. So the next entry is found by an index, however
/// many wait.
struct OutboxLanes {
    let queue: String

    /// The turn of what waits for no time, as SQL: before all times, also those of a device whose clock begins in 1970.
    static let atOnce = "-1e15"

    /// The oldest entry of a kind whose turn has come; it may be damaged.
    ///
    /// Turns beyond `farthest` come from a clock that was set back, and count as come. What a newer version of the app has added waits
    /// for that version.
    ///
    /// - Parameters:
    ///   - kind: The kind of work.
    ///   - version: The newest form that can be read.
    ///   - butForSuspects: Whether work waits during which the process has ended, see ``isSuspectInWork(_:)``.
    ///   - now: The time.
    ///   - farthest: The latest time that a turn can have.
    ///   - database: The database, in a transaction.
    func next(
        _ kind: String,
        version: Int,
        butForSuspects: Bool = false,
        now: Date,
        farthest: Date,
        _ database: Database
    ) throws -> Row? {
        let (now, farthest) = (now.timeIntervalSinceReferenceDate, farthest.timeIntervalSinceReferenceDate)
        return try Row.fetchOne(
            database.cachedStatement(sql: butForSuspects ? Self.nextButForSuspects : Self.next),
            arguments: [queue, kind, version, now, farthest]
        )
    }

    private static let next = next(where: "")
    // What failed or was given back since is none, so suspects wait for no time.
    private static let nextButForSuspects = next(where: "AND (crashes = 0 OR state <> 'pending')")

    /// The oldest of those that wait for no time, of those whose time has come, and of those whose time is beyond all waits; each found by the index.
    private static func next(where condition: String) -> String {
        let ids = "SELECT id FROM outbox WHERE queue = ?1 AND kind = ?2 AND version <= ?3 AND turn"
        return """
            SELECT \(OutboxRow.columns) FROM outbox WHERE id = (
                SELECT min(id) FROM (
                    SELECT * FROM (\(ids) = \(atOnce) \(condition) ORDER BY id LIMIT 1)
                    UNION ALL SELECT * FROM (\(ids) > \(atOnce) AND turn <= ?4 ORDER BY turn LIMIT 1)
                    UNION ALL SELECT * FROM (\(ids) > ?5 ORDER BY turn LIMIT 1)))
            """
    }

    /// The oldest entry that is done and has to be recorded.
    func nextDone(version: Int, now: Date, farthest: Date, _ database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT \(OutboxRow.columns) FROM outbox
                    WHERE queue = ? AND state = 'done' AND lease IS NULL AND version <= ?
                        AND (due IS NULL OR due <= ? OR due > ?)
                    ORDER BY id LIMIT 1
                    """
            ),
            arguments: [
                queue, version, now.timeIntervalSinceReferenceDate, farthest.timeIntervalSinceReferenceDate,
            ]
        )
    }

    /// Whether at least one entry of a kind has a turn, now or later, and fewer than `concurrency` are in work.
    ///
    /// It is asked before ``next(_:version:butForSuspects:now:farthest:_:)``, which costs several times as much.
    func mayTake(_ kind: String, concurrency: Int, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM outbox WHERE queue = ?1 AND kind = ?2 AND turn IS NOT NULL)
                        AND (SELECT count(*) FROM outbox WHERE queue = ?1 AND kind = ?2 AND lease IS NOT NULL) < ?3
                    """
            ),
            arguments: [queue, kind, concurrency]
        ) ?? false
    }

    /// Whether there is anything that may be taken now or later; what is in work is not.
    func isAnyWaiting(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM outbox WHERE queue = ?1 AND turn IS NOT NULL)
                        OR EXISTS (
                            SELECT 1 FROM outbox
                            WHERE queue = ?1 AND state = 'failed' AND isTransient <> 0 AND due IS NULL)
                    """
            ),
            arguments: [queue]
        ) ?? false
    }

    /// Whether work is under way during which the process has ended before.
    ///
    /// Of such work one entry is done at a time: when the process ends again, what has done it is counted, and nothing else that was in work.
    func isSuspectInWork(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM outbox INDEXED BY outboxLease
                        WHERE queue = ? AND lease IS NOT NULL AND state = 'inWork' AND crashes <> 0)
                    """
            ),
            arguments: [queue]
        ) ?? false
    }

    /// Gives the turn to the entry that has it now, after the one before it was settled or went.
    func settle(_ lane: String, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                UPDATE outbox SET turn = coalesce(due, \(Self.atOnce))
                WHERE id = (SELECT min(id) FROM outbox WHERE queue = :queue AND lane = :lane AND \(Self.blocks))
                    AND (state <> 'failed' OR due IS NOT NULL)
                    AND NOT EXISTS (
                        SELECT 1 FROM outbox INDEXED BY outboxLease
                        WHERE queue = :queue AND lease IS NOT NULL AND lane = :lane)
                """
        ).execute(arguments: ["queue": queue, "lane": lane])
    }

    /// Takes the turn from whoever has it, before an older entry of the lane comes back.
    func withdrawTurn(_ lane: String, _ database: Database) throws {
        try database.cachedStatement(
            sql:
                "UPDATE outbox SET turn = NULL WHERE queue = ? AND lane = ? AND turn IS NOT NULL AND \(Self.blocks)"
        ).execute(arguments: [queue, lane])
    }

    /// What others of its lane wait for.
    private static let blocks = "(state <> 'failed' OR isTransient <> 0)"

    /// When the next turn of a kind comes that has not come yet; `nil` for none.
    func earliestTurn(_ kind: String, version: Int, _ database: Database) throws -> Date? {
        try Double.fetchOne(
            database.cachedStatement(
                // What is no number is damage; it does not hide the times of others.
                sql: """
                    SELECT turn FROM outbox
                    WHERE queue = ? AND kind = ? AND version <= ? AND turn > \(Self.atOnce) AND typeof(turn) IN ('real', 'integer') ORDER BY turn LIMIT 1
                    """
            ),
            arguments: [queue, kind, version]
        ).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// What waits for the end of an outage.
    private static let exhausted = "queue = ? AND state = 'failed' AND isTransient <> 0 AND due IS NULL"

    /// When the next entry that waits for the end of an outage is revived; `nil` for none.
    func earliestRevival(_ database: Database) throws -> Date? {
        try Double.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT min(revives) FROM outbox
                    WHERE \(Self.exhausted) AND typeof(revives) IN ('real', 'integer')
                    """
            ),
            arguments: [queue]
        ).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// Makes pending again what has failed for a passing reason and is not repeated by itself.
    ///
    /// - Returns: The identities of those entries, but for those that were superseded.
    func revive(_ database: Database) throws -> [String] {
        // Mostly there are none, and an update that returns rows costs several times as much as this.
        guard
            try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE \(Self.exhausted))"),
                arguments: [queue]
            ) == true
        else { return [] }
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    UPDATE outbox SET state = 'pending', seriesFailures = 0, progress = 0, revives = NULL
                    WHERE \(Self.exhausted)
                    RETURNING CAST(identity AS TEXT) AS identity, CAST(lane AS TEXT) AS lane, isSuperseded <> 0 AS isSuperseded
                    """
            ),
            arguments: [queue]
        )
        return try rows.compactMap { row in
            try settle(try row.checked("lane"), database)
            return try row.checked("isSuperseded") ? nil : row.checked("identity")
        }
    }

    /// Whether there is anything in the queue.
    func isAnyEntry(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM outbox WHERE queue = ?)",
            arguments: [queue]
        ) ?? false
    }

    /// Ends the work that the process did when it died; what has ended it too often is set aside.
    func recover(now: Date, _ database: Database) throws {
        let reason = OutboxRow.stored(OutboxReason<WorkFailure>.interrupted(crashes: OutboxRow.crashLimit))
        let rows = try Row.fetchAll(
            database,
            sql: """
                UPDATE outbox SET crashes = crashes + 1, isTransient = 0, due = NULL,
                    state = CASE WHEN crashes + 1 >= :limit THEN 'failed' ELSE 'pending' END,
                    failedAt = CASE WHEN crashes + 1 >= :limit THEN :now END,
                    reason = CASE WHEN crashes + 1 >= :limit THEN :reason ELSE reason END
                WHERE queue = :queue AND state = 'inWork'
                RETURNING CAST(lane AS TEXT) AS lane
                """,
            arguments: [
                "queue": queue, "limit": OutboxRow.crashLimit, "reason": reason,
                "now": now.timeIntervalSinceReferenceDate,
            ]
        )
        let done = try Row.fetchAll(
            database,
            sql: """
                UPDATE outbox SET lease = NULL WHERE queue = ? AND lease IS NOT NULL
                RETURNING CAST(lane AS TEXT) AS lane
                """,
            arguments: [queue]
        )
        // What has failed for good is not repeated on request where a newer wish has its place.
        try database.execute(
            sql:
                "DELETE FROM outbox WHERE queue = ? AND isSuperseded <> 0 AND state = 'failed' AND isTransient = 0",
            arguments: [queue]
        )
        let lanes = try (rows + done).map { try $0.checked("lane") as String }
        for lane in Set(lanes).sorted() { try settle(lane, database) }
    }

    /// Gives entries of kinds that are not known any more the kind with the queue's own policy.
    func adopt(butFor kinds: Set<String>, _ database: Database) throws {
        let marks = databaseQuestionMarks(count: kinds.count)
        try database.execute(
            sql: "UPDATE outbox SET kind = '' WHERE queue = ? AND kind NOT IN (\(marks))",
            arguments: [queue] + StatementArguments(kinds.sorted())
        )
    }

    /// When the next recording of something done is due; `nil` for none.
    func earliestRecording(version: Int, _ database: Database) throws -> Date? {
        try Double.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT min(due) FROM outbox
                    WHERE queue = ? AND state = 'done' AND lease IS NULL AND version <= ?
                        AND typeof(due) IN ('real', 'integer')
                    """
            ),
            arguments: [queue, version]
        ).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}
