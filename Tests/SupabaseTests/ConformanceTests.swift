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
        #expect(try await test.run(with: SupabaseHarness()) == .passed)
    }

    @Test("LENS-184 a store in memory satisfies every requirement", arguments: ObjectStoreConformance.cases)
    func memory(_ test: ObjectStoreConformance.Case) async throws {
        try await test.run(with: MemoryHarness())
    }

    @Test("a store that violates one requirement fails a case", arguments: MemoryObjectStore.Flaw.allCases)
    func mutant(_ flaw: MemoryObjectStore.Flaw) throws {
        // In a simulation, where a race between two puts is not left to chance.
        let failures = try Simulation(seed: 1).run { () async throws -> [ConformanceFailure] in
            var failures: [ConformanceFailure] = []
            for test in ObjectStoreConformance.cases {
                do {
                    try await test.run(with: MemoryHarness(flaw: flaw))
                } catch let failure as ConformanceFailure {
                    failures.append(failure)
                }
            }
            return failures
        }
        #expect(!failures.isEmpty)
    }

    @Test("case names are distinct, and so are their identifiers")
    func names() {
        #expect(Set(ObjectStoreConformance.cases.map(\.id)).count == ObjectStoreConformance.cases.count)
        #expect(Set(ObjectStoreConformance.cases.map(\.name)).count == ObjectStoreConformance.cases.count)
    }
}
