import Exploration
import ScenarioKit
import Simulation

/// What came of one seed of `lenssim run`.
struct RunOutcome: Codable, Sendable {
    var seed: UInt64
    /// What the scenario counted; `nil` when it failed, or counts nothing.
    var figures: [ScenarioSummary.Figure]?
    /// What the engine counted, up to the failure if there was one; `nil` when that is not known.
    var counts: Counts?
    var failure: String?

    /// What the engine counts of a run.
    struct Counts: Codable, Sendable {
        var steps: Int
        /// Virtual time.
        var seconds: Double
        var hash: UInt64

        init(_ report: SimulationReport) {
            steps = report.steps
            seconds = report.time / .seconds(1)
            hash = report.hash
        }
    }
}

extension RunOutcome {
    init(_ outcome: SeedOutcome) {
        self.init(
            seed: outcome.seed,
            figures: outcome.summary?.figures,
            counts: outcome.report.map(Counts.init),
            failure: outcome.failure
        )
    }

    /// Runs a program that is there to be searched.
    init(_ program: Program, _ recipe: Recipe, checkingDeterminism: Bool) {
        let divergence = checkingDeterminism ? program.divergence(recipe) : nil
        let result = program.run(recipe)
        self.init(
            seed: recipe.seed,
            counts: result.report.map(Counts.init),
            failure: (divergence ?? result.failure).map { "\($0)" }
        )
    }
}
