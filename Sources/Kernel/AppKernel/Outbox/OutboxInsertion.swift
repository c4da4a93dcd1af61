import Foundation
import GRDB

/// A new entry at the end of its lane, and the statements that add it.
struct OutboxInsertion<Work: OutboxWork> {
    let work: Work
    let identity: String
    let queue: String
    let kind: String
    var expires: Date?
    let now: Date

    /// Adds the entry, of whose identity there must be no current one.
    func insert(_ database: Database) throws -> OutboxEntry<Work> {
        let key = UUID.drawn()
        try database.cachedStatement(sql: InsertionSQL.always).execute(arguments: arguments(key))
        return entry(key, database.lastInsertedRowID)
    }

    /// Adds the entry where `opening` is the newest of the queue and there is no current entry of that identity; otherwise nothing is
    /// added.
    func insert(ifNewestIs opening: Int, _ database: Database) throws -> OutboxEntry<Work>? {
        let key = UUID.drawn()
        try database.cachedStatement(sql: InsertionSQL.conditional)
            .execute(arguments: arguments(key) + [opening])
        return database.changesCount == 1 ? entry(key, database.lastInsertedRowID) : nil
    }

    /// The values of a statement, in order; a literal, since an array would be turned into arguments through key paths.
    private func arguments(_ key: UUID) throws -> StatementArguments {
        [
            queue, identity, work.lane.map { OutboxRow.name(ofLane: $0) } ?? "=\(identity)", kind,
            key.uuidString,
            try StoredForm.encode(work), Work.version, expires?.timeIntervalSinceReferenceDate,
            now.timeIntervalSinceReferenceDate,
        ]
    }

    private func entry(_ key: UUID, _ id: Int64) -> OutboxEntry<Work> {
        OutboxEntry(
            id: id,
            identity: identity,
            idempotencyKey: key,
            work: work,
            state: .pending,
            attempts: 0,
            failures: 0,
            crashes: 0,
            addedAt: now
        )
    }
}

private enum InsertionSQL {
    static let always = statement("INSERT", queue: "?1")

    /// One statement in the place of three: the queue's name is there for the newest opening alone, and a row without it is ignored, as one
    /// is whose identity is there.
    static let conditional = statement(
        "INSERT OR IGNORE",
        queue: "(SELECT queue FROM outboxOpening WHERE queue = ?1 AND number = ?10)"
    )

    private static func statement(_ verb: String, queue: String) -> String {
        """
        \(verb) INTO outbox (
            queue, identity, lane, kind, idempotencyKey, payload, version, state, expires, addedAt, turn)
        VALUES (\(queue), ?2, ?3, ?4, ?5, ?6, ?7, 'pending', ?8, ?9, CASE WHEN EXISTS (
            SELECT 1 FROM outbox WHERE queue = ?1 AND lane = ?3 AND (state <> 'failed' OR isTransient <> 0)
        ) THEN NULL ELSE \(OutboxLanes.atOnce) END)
        """
    }
}
