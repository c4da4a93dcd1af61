import AppKernel
import Conformance
import FaultConformance
import PreferenceStoreConformance
import Services
import SimulatedDisk
import Testing

/// Settings in a database on a disk that fails.
private struct FailingDiskHarness: PreferenceStoreHarness {
    /// A store, which may report failed changes as made.
    struct Store: PreferenceStore {
        let base: PlacedPreferences<SimulatedDisk>
        let swallowsErrors: Bool

        func value(for name: String) throws(PreferenceStoreError) -> String? { try base.value(for: name) }

        func set(_ values: [String: String?]) throws(PreferenceStoreError) {
            do { try base.set(values) } catch { if !swallowsErrors { throw error } }
        }
    }

    let disk: SimulatedDisk
    let swallowsErrors: Bool
    let capabilities: Set<PreferenceStoreCapability> = [.survives]

    private func open() throws -> Store {
        let base = try PlacedPreferences(disk, path: disk.databasePath("settings.sqlite"))
        return Store(base: base, swallowsErrors: swallowsErrors)
    }

    func makeStore() async throws -> Store { try open() }

    func reopen(_ store: Store) async throws -> Store {
        try store.base.close()
        return try open()
    }
}

@Suite("Preference conformance on a disk that fails")
struct PreferenceFaultTests {
    private func report(_ seeds: ClosedRange<UInt64>, swallowsErrors: Bool = false) -> FaultReport {
        FaultSweep(seeds: seeds).report(PreferenceStoreConformance.suite) { world in
            FailingDiskHarness(disk: world.disk(of: "phone"), swallowsErrors: swallowsErrors)
        }
    }

    @Test func `whatever fails, no value is another one, and what was stored is there afterwards`() {
        let report = report(1...20)
        #expect(report.wrongs == [], "\(report)")
        // Failures bite, and not always.
        #expect(report.oneSided == [], "\(report)")
    }

    @Test func `a store that reports failed changes as made is found out`() {
        let wrongs = report(1...20, swallowsErrors: true).wrongs
        #expect(wrongs.contains { $0.saw.contains("once the faults are over") }, "\(wrongs)")
    }
}
