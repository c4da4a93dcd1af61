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
    /// What the recipe says and the run did not do, each in a sentence.
    var mismatches: [String] = []
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
            mismatches: outcome.report?.mismatches ?? [],
            failure: outcome.failure
        )
    }

    /// Runs a program that is not a scenario of an app, and counts nothing.
    init(_ program: Program, _ recipe: Recipe, checkingDeterminism: Bool) {
        let divergence = checkingDeterminism ? program.divergence(recipe) : nil
        let result = program.run(recipe)
        self.init(
            seed: recipe.seed,
            counts: result.report.map(Counts.init),
            mismatches: result.report?.mismatches ?? [],
            failure: (divergence ?? result.failure).map { "\($0)" }
        )
    }

    /// Whether the run was the one that was asked for, and did not fail.
    var passed: Bool { failure == nil && mismatches.isEmpty }

    /// What went wrong; `nil` where nothing did.
    var problem: String? {
        if mismatches.isEmpty { return failure }
        let list = mismatches.map { "  \($0)" }.joined(separator: "\n")
        return "the recipe does not fit the program:\n\(list)\n" + (failure ?? "the run does not fail")
    }
}
