public import GRDB

/// Parts of what is in the queue, to be read once or observed with ``Outbox/observe(_:)``.
extension Outbox {
    /// How many entries are in which state, in a reading of the caller's; those that were superseded count as none.
    ///
    /// Looks at each entry of the queue, without decoding it.
    public func counts(in database: Database) throws -> OutboxCounts {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT CAST(state AS TEXT) AS state, isTransient = 0 AS isFinal, count(*) AS count
                    FROM outbox WHERE queue = ? AND isSuperseded = 0 GROUP BY 1, 2
                    """
            ),
            arguments: [name]
        )
        var counts = OutboxCounts()
        for row in rows {
            let count: Int = try row.checked("count")
            // What has no state is damage.
            switch OutboxEntry<Work>.State(rawValue: try row.checked("state")) {
            case .pending: counts.pending += count
            case .inWork: counts.inWork += count
            case .done: counts.done += count
            case .failed where try row.checked("isFinal"): counts.final += count
            case .failed: counts.failed += count
            case nil: break
            }
        }
        return counts
    }

    /// The readable entries of a lane in their order, in a reading of the caller's; those that were superseded count as none.
    ///
    /// Looks at these, and at those of the queue that have failed for good.
    public func entries(inLane lane: String, in database: Database) throws -> [OutboxEntry<Work>] {
        try OutboxRow.all(lane: OutboxRow.name(ofLane: lane), queue: name, database).compactMap {
            try? Self.entry($0)
        }
    }
}
