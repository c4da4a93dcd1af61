public import Exploration
import Simulation

extension ZooProgram {
    static let deletedJournal = ZooProgram(
        "deleted-journal",
        .disk,
        "SQLite with synchronous=FULL deletes its journal without syncing the folder; it may come back and undo a commit"
    ) { isFixed in
        let outcome = try await PowerCut.run(isFixed ? .deletedJournalExtra : .deletedJournalFull)
        try expect(outcome == .sound, "a committed transaction is lost")
    }
}

extension Zoo {
    /// SQLite on a disk whose power is cut at some write; nothing is wrong with these.
    public static let powerCuts: [Program] = [PowerCut.Mode.truncatedJournal, .deletedJournalExtra, .wal].map
    { mode in
        Program(
            name: "sqlite-\(mode.rawValue)",
            summary: "SQLite loses no committed transaction when the power goes at some write"
        ) {
            switch try await PowerCut.run(mode) {
            case .sound: break
            case .lostTransaction: throw ZooFailure("a committed transaction is lost")
            case .corrupt(let how): throw ZooFailure("the database is corrupt: \(how)")
            }
        }
    }
}
