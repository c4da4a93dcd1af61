import Conformance
import ObjectStoreConformance
import Simulation
import SupabaseServer
import Testing

@Suite("Object store conformance")
struct ConformanceTests {
    @Test(
        "LENS-184 the real client satisfies every requirement against the simulated service",
        arguments: ObjectStoreConformance.cases
    )
    func supabase(_ test: ObjectStoreConformance.Case) async throws {
        var harness = SupabaseHarness()
        harness.mayChange = ["condition.any", "move.whole", "move.refused"].contains(test.id)
        let outcome = try await test.run(with: harness)
        // The service compares no entity tags.
        let isComparison = test.id == "condition.matches"
        #expect(
            outcome == (isComparison ? .skipped("the store has not the ability “conditionalPut”") : .passed)
        )
    }

    @Test("LENS-184 a store in memory satisfies every requirement", arguments: ObjectStoreConformance.cases)
    func memory(_ test: ObjectStoreConformance.Case) async throws {
        let outcome = try await test.run(with: MemoryHarness())
        #expect(outcome == .passed || test.id.hasPrefix("trouble."))
    }

    @Test(
        "a store that violates one requirement fails the cases that say so, for that reason, and no other",
        arguments: MemoryObjectStore.Flaw.allCases
    )
    func mutant(_ flaw: MemoryObjectStore.Flaw) throws {
        // In a simulation, where a race between two puts is not left to chance.
        let report = try Simulation(seed: 1).run {
            await ObjectStoreConformance.suite.report(on: MemoryHarness(flaw: flaw))
        }
        #expect(report.differences(from: flaw.findings) == [])
        #expect(flaw.findings.keys.contains(flaw.failing))
    }

    @Test("case names are distinct, and so are their identifiers")
    func names() {
        #expect(Set(ObjectStoreConformance.cases.map(\.id)).count == ObjectStoreConformance.cases.count)
        #expect(Set(ObjectStoreConformance.cases.map(\.name)).count == ObjectStoreConformance.cases.count)
    }
}
