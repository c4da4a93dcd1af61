import GRDB
public import SimulatedDisk
import Simulation
import Synchronization

/// Transactions on a database whose power is cut at some write, and what is left of them.
public enum PowerCut {
    /// How the database journals.
    public enum Mode: String, CaseIterable, Sendable {
        /// The journal is emptied and synced at each commit.
        case truncatedJournal
        /// The journal is deleted, and the folder synced, at each commit.
        case deletedJournalExtra
        /// The journal is deleted at each commit, and nothing makes that durable.
        case deletedJournalFull
        /// A write-ahead log.
        case wal

        var pragmas: [String] {
            switch self {
            case .truncatedJournal: ["PRAGMA journal_mode = TRUNCATE", "PRAGMA synchronous = FULL"]
            case .deletedJournalExtra: ["PRAGMA journal_mode = DELETE", "PRAGMA synchronous = EXTRA"]
            case .deletedJournalFull: ["PRAGMA journal_mode = DELETE", "PRAGMA synchronous = FULL"]
            case .wal:
                ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 3"]
            }
        }
    }

    /// What was found after the restart.
    public enum Outcome: Hashable, Sendable {
        /// All that was committed is there.
        case sound
        /// Something that was committed is not.
        case lostTransaction
        /// SQLite or the check finds it broken.
        case corrupt(String)
    }

    static func open(_ disk: SimulatedDisk, _ mode: Mode) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // A cache this small writes pages before the commit too.
            for pragma in mode.pragmas + ["PRAGMA cache_size = 4"] { _ = try Row.fetchAll(db, sql: pragma) }
        }
        return try DatabaseQueue(path: disk.databasePath("bank.sqlite"), configuration: configuration)
    }

    /// Runs inside a simulation.
    ///
    /// - Throws: What is no outcome, such as a set-up that fails.
    public static func run(
        _ mode: Mode,
        conditions: DiskConditions = .losingUnsyncedWrites,
        isPowersafe: Bool = true
    ) async throws -> Outcome {
        guard let simulation = Simulation.current else { preconditionFailure("needs a simulation") }
        let phone = simulation.node("phone")
        let disk = SimulatedDisk(node: phone)
        disk.isPowersafe = isPowersafe
        // Setting up is not what is tested, so the power stays on until all of it is durable.
        try await phone.run {
            let database = try open(disk, mode)
            try database.write { db in
                try db.execute(sql: "CREATE TABLE entry(id INTEGER PRIMARY KEY, text TEXT)")
                try db.execute(sql: "CREATE INDEX byText ON entry(text)")
            }
            try database.close()
        }
        disk.conditions = conditions
        var entropy = simulation.entropy("power")
        disk.powerOff(atChange: UInt64.random(in: 1...120, using: &entropy))
        let committed = Committed()
        do {
            try await phone.run {
                let database = try open(disk, mode)
                for number in 1...8 {
                    try database.write { db in
                        for part in 0..<3 {
                            let text = String(repeating: "\(number * 10 + part) ", count: 300)
                            try db.execute(
                                sql: "INSERT INTO entry VALUES (?, ?)",
                                arguments: [number * 10 + part, text]
                            )
                        }
                        if number > 2 {
                            try db.execute(
                                sql: "DELETE FROM entry WHERE id = ?",
                                arguments: [(number - 2) * 10]
                            )
                        }
                    }
                    committed.number.withLock { $0 = number }
                }
            }
        } catch {}
        phone.crash()
        disk.conditions = DiskConditions()
        phone.restart()
        return try await phone.run { try examine(disk, mode, committed: committed.number.withLock { $0 }) }
    }

    private final class Committed: Sendable {
        let number = Mutex(0)
    }

    private static func examine(_ disk: SimulatedDisk, _ mode: Mode, committed: Int) throws -> Outcome {
        do {
            let database = try open(disk, mode)
            defer { try? database.close() }
            return try database.read { db in
                let verdict = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                if verdict != ["ok"] { return .corrupt(verdict.joined(separator: "; ")) }
                // Its making was committed as well.
                guard try db.tableExists("entry") else { return .lostTransaction }
                let newest = try Int.fetchOne(db, sql: "SELECT max(id) / 10 FROM entry") ?? 0
                if newest < committed { return .lostTransaction }
                // The one that the power has interrupted may be there, whole, or not at all.
                let expected = Set(
                    (1...max(newest, 1)).flatMap { number in (0..<3).map { number * 10 + $0 } }
                )
                .subtracting(newest > 2 ? (1...(newest - 2)).map { $0 * 10 } : [])
                let found = Set(try Int.fetchAll(db, sql: "SELECT id FROM entry"))
                return newest == 0 || found == expected ? .sound : .corrupt("a transaction is there in part")
            }
        } catch let error as DatabaseError {
            return .corrupt("\(error)")
        }
    }
}
