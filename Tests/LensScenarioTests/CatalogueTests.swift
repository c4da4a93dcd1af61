import LensScenarios
import Simulation
import Testing

@Suite("The catalogue of scenarios")
struct CatalogueTests {
    @Test(
        "LENS-249 every scenario passes, each step the same twice",
        arguments: ScenarioCatalogue.all.map(\.name)
    )
    func deterministic(name: String) throws {
        let scenario = try #require(ScenarioCatalogue.named(name))
        for seed in 1...5 as ClosedRange<UInt64> {
            let outcome = scenario.runSimulated(
                seed: seed,
                settings: scenario.settings,
                checkingDeterminism: true
            )
            #expect(outcome.failure == nil)
        }
    }

    @Test func `a scenario runs the same on parallel threads`() async throws {
        let scenario = Scenario.lensStreaming
        let alone = scenario.runSimulated(seed: 3, settings: scenario.settings).report?.hash
        let sweep = SeedSweep(seeds: 1...4, jobs: 4)
        var together: [UInt64: UInt64?] = [:]
        for await (seed, outcome) in sweep.results({ seed in
            scenario.runSimulated(seed: seed, settings: scenario.settings)
        }) {
            together[seed] = outcome.report?.hash
        }
        #expect(together.count == 4)
        #expect(together[3] == alone)
    }

    @Test func `a property that is violated fails the scenario, with its seed and position`() throws {
        let broken = Scenario(name: "broken", summary: "violates its property", settings: ScenarioSettings())
        {
            _ in
            try await Task.sleep(for: .seconds(1))
            try check(1 + 1 == 3, "sums are right", "2")
            return Scenario.Summary([:])
        }
        let outcome = broken.runSimulated(seed: 9, settings: broken.settings)
        #expect(outcome.summary == nil)
        #expect(outcome.failure?.contains("sums are right") == true)
        #expect(outcome.failure?.contains("seed 9") == true)
        #expect(outcome.failure?.contains("1.000000 s") == true)
    }
}
