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
            #expect(scenario.runSimulated(Recipe(seed: seed), checkingDeterminism: true).failure == nil)
        }
    }
}
