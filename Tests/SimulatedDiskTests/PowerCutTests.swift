import BugZoo
import SimulatedDisk
import Simulation
import Testing

@Suite("SQLite under power cuts")
struct PowerCutTests {
    private func outcomes(
        _ mode: PowerCut.Mode,
        seeds: ClosedRange<UInt64>,
        conditions: DiskConditions = .honest
    ) throws -> [PowerCut.Outcome: Int] {
        try seeds.reduce(into: [:]) { counts, seed in
            counts[
                try Simulation(seed: seed).run { try await PowerCut.run(mode, conditions: conditions) },
                default: 0
            ] += 1
        }
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .deletedJournalExtra, .wal])
    func `no committed transaction is lost, and nothing is corrupt`(_ mode: PowerCut.Mode) throws {
        #expect(try outcomes(mode, seeds: 1...150) == [.sound: 150])
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .wal])
    func `with a disk whose syncs lie, transactions are lost or the database is corrupt`(
        _ mode: PowerCut.Mode
    ) throws {
        var lying = DiskConditions.honest
        lying[.lyingSync] = 1
        let outcomes = try outcomes(mode, seeds: 1...150, conditions: lying)
        #expect(outcomes[.sound, default: 0] < 150)
        #expect(outcomes.keys.contains { $0 == .lostTransaction || $0 != .sound })
    }

    @Test func `a journal that is deleted without syncing the folder may come back, and undo a commit`()
        throws
    {
        // sqlite.org/pragma.html: EXTRA adds the sync of the folder; FULL does not promise durability in DELETE mode.
        let outcomes = try outcomes(.deletedJournalFull, seeds: 1...300)
        #expect(outcomes[.lostTransaction, default: 0] > 0)
        #expect(Set(outcomes.keys) == [.sound, .lostTransaction])
    }

    @Test(arguments: PowerCut.Mode.allCases)
    func `without a disk that forgets, no power cut does any harm`(_ mode: PowerCut.Mode) throws {
        #expect(try outcomes(mode, seeds: 1...40, conditions: DiskConditions()) == [.sound: 40])
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .wal])
    func `a power cut is the same again for the same seed`(_ mode: PowerCut.Mode) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            try Simulation.checkDeterminism(seed: seed) { try await PowerCut.run(mode) }
        }
    }
}
