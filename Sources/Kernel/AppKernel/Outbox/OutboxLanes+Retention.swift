import Foundation
import GRDB

/// What has failed for good, and how long it is kept.
extension OutboxLanes {
    private static let failed = "queue = ? AND kind = ? AND state = 'failed' AND isTransient = 0"

    /// Removes what has failed for good and its policy keeps no longer.
    ///
    /// - Returns: The identities of those entries, as far as they can be read.
    func forget(_ kind: String, _ policy: OutboxPolicy, now: Date, _ database: Database) throws -> [String] {
        var gone: [Row] = []
        if let retention = policy.retention {
            let end = now - retention / .seconds(1)
            gone += try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        DELETE FROM outbox WHERE \(Self.failed) AND failedAt <= ?
                        RETURNING CAST(identity AS TEXT) AS identity
                        """
                ),
                arguments: [queue, kind, end.timeIntervalSinceReferenceDate]
            )
        }
        if let retained = policy.retained {
            gone += try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        DELETE FROM outbox WHERE id IN (
                            SELECT id FROM outbox WHERE \(Self.failed) ORDER BY failedAt DESC, id DESC LIMIT -1 OFFSET ?)
                        RETURNING CAST(identity AS TEXT) AS identity
                        """
                ),
                arguments: [queue, kind, retained]
            )
        }
        return gone.compactMap { try? $0.checked("identity") }
    }

    /// When the entry that a policy keeps no longer next has been kept long enough; `nil` for none.
    func earliestForgetting(_ kind: String, _ policy: OutboxPolicy, _ database: Database) throws -> Date? {
        guard let retention = policy.retention else { return nil }
        let failedAt = try Double.fetchOne(
            database.cachedStatement(
                // What is no number is damage; it does not hide the times of others.
                sql: """
                    SELECT failedAt FROM outbox WHERE \(Self.failed) AND typeof(failedAt) IN ('real', 'integer')
                    ORDER BY failedAt LIMIT 1
                    """
            ),
            arguments: [queue, kind]
        )
        return failedAt.map { Date(timeIntervalSinceReferenceDate: $0) + retention / .seconds(1) }
    }
}
