import Conformance
import PreferenceStoreConformance
import SimulatedDisk
import Simulation
import SimulationTesting
import Testing

@Suite("Preference conformance")
struct PreferenceConformanceTests {
    @Test(
        "settings in a database meet each requirement that they can, in memory and in a file",
        arguments: PreferenceStoreConformance.cases
    )
    func databases(_ test: PreferenceStoreConformance.Case) async throws {
        let harnesses: [any PreferenceStoreHarness] = [MemoryDatabaseHarness(), FilePreferencesHarness()]
        for harness in harnesses {
            let outcome = try await test.run(with: harness)
            let isPossible = test.needs.isSubset(of: harness.capabilityNames)
            #expect((outcome == .passed) == isPossible, "\(harness): \(outcome)")
        }
    }

    @Test(
        "settings in a database meet each requirement on a disk that fails and whose power goes",
        .simulated(seeds: 1...6),
        arguments: PreferenceStoreConformance.cases
    )
    func disk(_ test: PreferenceStoreConformance.Case) async throws {
        #expect(try await test.run(with: DiskPreferencesHarness()) == .passed)
    }

    @Test("settings in memory meet each requirement", arguments: PreferenceStoreConformance.cases)
    func memory(_ test: PreferenceStoreConformance.Case) async throws {
        #expect(try await test.run(with: WrongPreferencesHarness(flaw: nil)) == .passed)
    }

    @Test func `a disk that ignores syncs is found out by what is lost when the power goes`() throws {
        let test = try #require(PreferenceStoreConformance.cases.first { $0.id == "keep.crashed" })
        let failures = (1...12 as ClosedRange<UInt64>).compactMap { seed -> ConformanceFailure? in
            do {
                try Simulation(seed: seed).run {
                    var harness = DiskPreferencesHarness()
                    harness.conditions[.ignoredSync] = 1
                    _ = try await test.run(with: harness)
                }
                return nil
            } catch { return error as? ConformanceFailure }
        }
        #expect(failures.contains { $0.expected == "a change is there as a whole or not at all" })
    }

    @Test(
        "a wrong store fails the cases about its flaw, for that reason, and no other",
        .simulated(seeds: 1...1),
        arguments: WrongPreferences.Flaw.allCases
    )
    func wrong(_ flaw: WrongPreferences.Flaw) async throws {
        let report = await PreferenceStoreConformance.suite.report(on: WrongPreferencesHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = PreferenceStoreConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong store`() {
        let found = Set(WrongPreferences.Flaw.allCases.flatMap(\.findings.keys))
        #expect(found == Set(PreferenceStoreConformance.cases.map(\.id)))
    }
}
