import BugZoo
import SimulatedDisk
import Simulation
import Testing

@Suite("SQLite under power cuts")
struct PowerCutTests {
    private func outcomes(
        _ mode: PowerCut.Mode,
        seeds: ClosedRange<UInt64>,
        conditions: DiskConditions = .losingUnsyncedWrites,
        isPowersafe: Bool = true
    ) throws -> [PowerCut.Outcome: Int] {
        try seeds.reduce(into: [:]) { counts, seed in
            counts[
                try Simulation(seed: seed).run {
                    try await PowerCut.run(mode, conditions: conditions, isPowersafe: isPowersafe)
                },
                default: 0
            ] += 1
        }
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .deletedJournalExtra, .wal], [true, false])
    func `no committed transaction is lost, and nothing is corrupt`(
        _ mode: PowerCut.Mode,
        isPowersafe: Bool
    ) throws {
        #expect(try outcomes(mode, seeds: 1...150, isPowersafe: isPowersafe) == [.sound: 150])
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .deletedJournalExtra, .wal])
    func `with a disk that ignores syncs, committed transactions are lost`(_ mode: PowerCut.Mode) throws {
        var ignoring = DiskConditions.losingUnsyncedWrites
        ignoring[.ignoredSync] = 1
        let outcomes = try outcomes(mode, seeds: 1...150, conditions: ignoring)
        #expect(outcomes[.lostTransaction, default: 0] > 0, "\(outcomes)")
    }

    @Test(arguments: [PowerCut.Mode.truncatedJournal, .wal])
    func `with a disk that ignores syncs, databases are found corrupt`(_ mode: PowerCut.Mode) throws {
        var ignoring = DiskConditions.losingUnsyncedWrites
        ignoring[.ignoredSync] = 1
        let outcomes = try outcomes(mode, seeds: 1...150, conditions: ignoring)
        #expect(Set(outcomes.keys).subtracting([.sound, .lostTransaction]).count > 0, "\(outcomes)")
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
