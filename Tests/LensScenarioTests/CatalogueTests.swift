import LensScenarios
import ScenarioKit
import Simulation
import Testing

@Suite("The catalogue of scenarios")
struct CatalogueTests {
    @Test(arguments: ScenarioCatalogue.lens.scenarios.map { $0.name })
    func `every scenario passes, each step the same twice`(name: String) throws {
        let scenario = try #require(ScenarioCatalogue.lens.scenario(named: name)).init()
        for seed in 1...2 as ClosedRange<UInt64> {
            #expect(scenario.runSimulated(seed: seed, checkingDeterminism: true).failure == nil)
        }
    }

    @Test func `a scenario runs the same on parallel threads`() async throws {
        let scenario = LensStreaming()
        let alone = scenario.runSimulated(seed: 3).report?.hash
        let sweep = SeedSweep(seeds: 1...4, jobs: 4)
        var together: [UInt64: UInt64?] = [:]
        for await (seed, outcome) in sweep.results({ seed in
            scenario.runSimulated(seed: seed)
        }) {
            together[seed] = outcome.report?.hash
        }
        #expect(together.count == 4)
        #expect(together[3] == alone)
    }
}
