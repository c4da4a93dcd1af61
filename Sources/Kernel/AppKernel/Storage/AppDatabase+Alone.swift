internal import GRDB

extension AppDatabase {
    /// The pauses between two looks at a file that somebody else has; each is twice the one before.
    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(500))

    /// Opens the file alone: once every other opening of this kind has ended, in this process and in others, in good order or not.
    ///
    /// For a program of which two processes may run for a moment, such as a new one that is started before the old one has ended: it goes on
    /// where that has stopped, where ``init(path:durability:)`` would take the queues over. Those who open the file by that neither wait
    /// nor are waited for. A file whose name ends with `-owner` is next to the database.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - durability: What a change survives once the call that made it has returned.
    ///   - limit: How long to wait; `nil` for as long as it takes, zero for not at all.
    /// - Throws: ``DatabaseFailure`` as the other openings, `busy` when the time is over or the task is cancelled.
    public static func alone(
        path: String,
        durability: Durability = .full,
        waitingAtMost limit: Duration?
    ) async throws(DatabaseFailure) -> AppDatabase {
        // Nobody else can have a database of this process's memory.
        let isShared = path != ":memory:"
        return try AppDatabase(
            path: path,
            durability: durability,
            isShared ? await ownership(of: path, limit) : nil
        )
    }

    private static func ownership(
        of path: String,
        _ limit: Duration?
    ) async throws(DatabaseFailure) -> DatabaseOwnership {
        let operation = "open the database alone"
        let start = ContinuousClock.now
        var pause = pauses.first
        while true {
            do {
                if let ownership = try DatabaseOwnership(of: path) { return ownership }
            } catch { throw DatabaseFailure(error, operation: operation, path: path) }
            let left = limit.map { $0 - (ContinuousClock.now - start) }
            guard left.map({ $0 > .zero }) ?? true,
                (try? await Task.sleep(for: min(pause, left ?? pause))) != nil
            else {
                throw DatabaseFailure(
                    .busy,
                    operation: operation,
                    path: path,
                    detail: Task.isCancelled
                        ? "another opening has it, and the wait was cancelled"
                        : "another opening has had it for \(ContinuousClock.now - start)"
                )
            }
            pause = min(pause * 2, pauses.longest)
        }
    }
}
