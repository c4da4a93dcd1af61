import Simulation

/// What a run of another process reports.
struct ForkedRunResult: Codable {
    var recipe: Recipe
    var failure: Failure?
    var steps: Int
    var nanoseconds: Int64
    /// The hash of what happened; 0 where that is not known.
    var hash: UInt64
    /// The hash of who ran in which order.
    var order: UInt64
    var checks: [CheckRecord]

    init(_ result: RunResult, recipe: Recipe) {
        self.recipe = recipe
        failure = result.failure
        steps = result.steps
        nanoseconds = result.time.nanoseconds
        hash = result.hash
        order = result.order
        checks = result.report?.checks ?? []
    }

    init(_ run: ObservedRun, recipe: Recipe) {
        self.recipe = recipe
        failure = run.failure
        steps = run.steps
        nanoseconds = run.nanoseconds
        hash = run.hash
        order = run.order
        checks = run.checks
    }

    init(_ recipe: Recipe, failure: Failure, at position: Position? = nil) {
        self.recipe = recipe
        self.failure = failure
        steps = position?.step ?? 0
        nanoseconds = position?.time.nanoseconds ?? 0
        hash = 0
        order = 0
        checks = []
    }
}
