import Exploration
import ScenarioKit
import Simulation

/// What came of one seed of `lenssim run`.
struct RunOutcome: Sendable {
    var seed: UInt64
    /// What the scenario counted; `nil` when it failed, or counts nothing.
    var figures: [ScenarioSummary.Figure]?
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
