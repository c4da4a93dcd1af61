public import Simulation

/// What came of one run.
public struct RunResult: Sendable {
    /// What decided it.
    public var recipe: Recipe
    /// How it failed; `nil` when it did not.
    public var failure: Failure?
    /// What the engine counted; `nil` when the run did not reach its end.
    public var report: SimulationReport?
    /// Steps, also of a run that did not reach its end.
    public var steps: Int
    /// Virtual time, also of a run that did not reach its end.
    public var time: Duration
    /// The hash of what happened.
    public var hash: UInt64
    /// The hash of who ran in which order, as a name of the schedule.
    public var order: UInt64
    /// The numbers of the tasks that wait for what never comes, where the run has failed by that.
    var waiting: Set<Int> = []
    /// What the run recorded, if it was asked to.
    public var trace: Trace?
    /// The recipe that does the same with every choice and every fault written out; only of recorded runs.
    public var recorded: Recipe?

    init(_ recipe: Recipe, _ failure: Failure?, _ report: SimulationReport) {
        self.recipe = recipe
        self.failure = failure
        self.report = report
        steps = report.steps
        time = report.time
        hash = report.hash
        order = report.order
    }
}
