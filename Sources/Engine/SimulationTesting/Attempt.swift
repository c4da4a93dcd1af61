import Exploration
import Simulation

/// A run of a test whose failure is not recorded yet.
struct Attempt: Sendable {
    var fails = false
    /// What is known of the failure; `nil` where there is none, or where it does not happen again.
    var explanation: FailureExplanation?
    /// How many steps the longest task has executed.
    var longestTask = 0

    init() {}

    /// Runs a test, and makes a failing run small.
    ///
    /// - Parameters:
    ///   - recipe: What decides the run.
    ///   - configuration: What else it is given.
    ///   - report: Names the test.
    ///   - issues: Where its failed expectations are noted.
    ///   - body: The test.
    init(
        _ recipe: Recipe,
        _ configuration: Simulation.Configuration,
        _ report: SeedReport,
        _ issues: CapturedIssues,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        let test = report.test
        var program = Program(name: test, summary: "") {
            issues.clear()
            var thrown: (any Error)?
            do { try await body() } catch { thrown = error }
            if let failure = issues.failure { throw failure }
            if let thrown { throw thrown }
        }
        program.title = "the test \(test)"
        program.configuration = configuration
        program.reproductionLine = { SeedReport.reproduction(of: $0, test: test) }
        let run = program.run(recipe)
        longestTask = run.report?.longestTask ?? 0
        guard run.failure != nil else { return }
        fails = true
        explanation = FailureExplanation(program, recipe) { SeedReport.reproduction(of: $0, test: test) }
    }
}
