import Nova
import NovaScenarios
import ScenarioKit
import Simulation
import Testing

/// A mistake that is planted in what the app finds on the phone, and the property that notices it.
struct NovaMistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let scenario: any NovaScenario.Type
    let property: String
    let plant: NovaAdjustment

    init(
        _ description: String,
        in scenario: any NovaScenario.Type,
        breaks property: String,
        plant: @escaping NovaAdjustment
    ) {
        testDescription = description
        (self.scenario, self.property, self.plant) = (scenario, property, plant)
    }

    /// Whether one of five hundred seeds breaks the property.
    func isFound() -> Bool {
        var scenario = scenario.init()
        scenario.adjust = plant
        return (1...500 as ClosedRange<UInt64>).contains { seed in
            scenario.runSimulated(Recipe(seed: seed)).failure?.contains("“\(property)”") == true
        }
    }
}

@Suite("Mistakes that the scenarios of Nova notice")
struct NovaMistakeTests {
    @Test("each planted mistake breaks its property within 500 seeds", arguments: NovaMistake.all)
    func isFound(_ mistake: NovaMistake) {
        #expect(mistake.isFound())
    }

    @Test func `each scenario of Nova has a mistake that it notices`() {
        let noticed = Set(NovaMistake.all.map { $0.scenario.name })
        #expect(noticed == Set(novaScenarios.scenarios.map { $0.name }))
    }
}
