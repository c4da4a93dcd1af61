import Foundation
import GRDB

/// A time before which nothing of a queue is attempted, because the other side has asked for it.
struct OutboxHold {
    static let schema = SchemaStep(
        "outbox-2-hold",
        sql: """
            CREATE TABLE outboxHold (
                queue TEXT PRIMARY KEY NOT NULL,
                until REAL NOT NULL,
                wait REAL NOT NULL
            );
            """
    )

    /// A hundred days, in seconds.
    private static let longest = 8_640_000.0

    let until: Date
    /// Seconds from the request to ``until``.
    private let wait: Double

    init(from now: Date, for wait: Duration) {
        self.wait = wait / .seconds(1)
        until = now.addingTimeInterval(self.wait)
    }

    private init?(_ row: Row) {
        guard let until = row["until"] as Double?, let wait = row["wait"] as Double? else { return nil }
        self.until = Date(timeIntervalSinceReferenceDate: until)
        self.wait = wait
    }

    /// The hold of a queue that has not passed.
    ///
    /// One that is further away than it was long when it began comes from a clock that was set back, and has passed.
    static func current(queue: String, now: Date, _ database: Database) throws -> OutboxHold? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                // What is no number is damage, and holds nothing back.
                sql: """
                    SELECT until, wait FROM outboxHold
                    WHERE queue = ? AND typeof(until) IN ('real', 'integer') AND typeof(wait) IN ('real', 'integer')
                    """
            ),
            arguments: [queue]
        )
        guard let hold = row.flatMap({ OutboxHold($0) }) else { return nil }
        let left = hold.until.timeIntervalSince(now)
        // A second for rounding. No policy lets a server ask for so long; a damaged number must not hold the queue indefinitely.
        return left > 0 && left <= hold.wait + 1 && hold.wait <= longest ? hold : nil
    }

    /// Takes the place of an earlier hold, which the other side knew of.
    func store(queue: String, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO outboxHold VALUES (?, ?, ?)")
            .execute(arguments: [queue, until.timeIntervalSinceReferenceDate, wait])
    }

    static func end(queue: String, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM outboxHold WHERE queue = ?").execute(arguments: [queue]
        )
    }
}
