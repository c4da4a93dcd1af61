import Argus
import ArgusScenarios
import ScenarioKit
import Simulation
import Testing

/// A mistake that is planted in what the app finds on the phone, and the property that notices it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let scenario: any ArgusScenario.Type
    let property: String
    let plant: ArgusAdjustment

    init(
        _ description: String,
        in scenario: any ArgusScenario.Type,
        breaks property: String,
        plant: @escaping ArgusAdjustment
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

@Suite("Mistakes that the scenarios of Argus notice")
struct MistakeTests {
    @Test("each planted mistake breaks its property within 500 seeds", arguments: Mistake.all)
    func isFound(_ mistake: Mistake) {
        #expect(mistake.isFound())
    }

    @Test func `each scenario of Argus has a mistake that it notices`() {
        let noticed = Set(Mistake.all.map { $0.scenario.name })
        #expect(noticed == Set(ScenarioCatalogue.argus.scenarios.map { $0.name }))
    }
}
