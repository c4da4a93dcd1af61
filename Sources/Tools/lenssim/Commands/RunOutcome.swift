import Exploration
import LensScenarios
import Simulation

/// What came of one seed of `lenssim run`.
struct RunOutcome: Sendable {
    var seed: UInt64
    /// What the scenario counted; `nil` when it failed, or counts nothing.
    var figures: [Scenario.Summary.Figure]?
    /// What the engine counted, up to the failure if there was one; `nil` when that is not known.
    var report: SimulationReport?
    var failure: String?
}

extension RunOutcome {
    init(_ outcome: SeedOutcome) {
        self.init(
            seed: outcome.seed,
            figures: outcome.summary?.figures,
            report: outcome.report,
            failure: outcome.failure
        )
    }

    /// Runs a scenario in the simulation.
    init(_ scenario: Scenario, seed: UInt64, settings: ScenarioSettings, checkingDeterminism: Bool) {
        if checkingDeterminism {
            self.init(scenario.runSimulated(seed: seed, settings: settings, checkingDeterminism: true))
            return
        }
        let simulation = Simulation(seed: seed)
        do {
            let (summary, report) = try simulation.runReporting { try await scenario.run(settings) }
            self.init(seed: seed, figures: summary.figures, report: report)
        } catch {
            self.init(seed: seed, report: simulation.report, failure: "\(error)")
        }
    }

    /// Runs a program that is there to be searched.
    init(_ program: Program, _ recipe: Recipe, checkingDeterminism: Bool) {
        let divergence = checkingDeterminism ? program.divergence(recipe) : nil
        let result = program.run(recipe)
        self.init(
            seed: recipe.seed,
            report: result.report,
            failure: (divergence ?? result.failure).map { "\($0)" }
        )
    }
}
