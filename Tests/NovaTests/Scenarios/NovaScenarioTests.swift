import NovaScenarios
import ScenarioKit
import Simulation
import Testing

/// All of them.
let novaScenarios = ScenarioCatalogue.nova

@Suite("The scenarios of Nova")
struct NovaScenarioTests {
    @Test(arguments: novaScenarios.scenarios.map { $0.name })
    func `every scenario passes, each step the same twice`(name: String) throws {
        let scenario = try #require(novaScenarios.scenario(named: name)).init()
        for seed in 1...2 as ClosedRange<UInt64> {
            #expect(scenario.runSimulated(Recipe(seed: seed), checkingDeterminism: true).failure == nil)
        }
    }

    @Test(arguments: novaScenarios.scenarios.map { $0.name })
    func `what holds always holds whatever else goes wrong`(name: String) throws {
        let scenario = try #require(novaScenarios.scenario(named: name)).init()
        for seed in 1...4 as ClosedRange<UInt64> {
            #expect(scenario.runSimulated(Recipe(seed: seed, plan: "swarm")).failure == nil)
        }
    }
}
