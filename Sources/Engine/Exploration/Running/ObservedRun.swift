import Simulation

/// What shrinking and failure files keep of a run; as data, so that another process can tell it.
struct ObservedRun: Codable, Sendable {
    var failure: Failure?
    /// The recipe that does the same with every choice and every fault written out.
    var recorded: Recipe?
    var decisions: [Decision]
    var preemptions: [Preemption]
    var workloads: [String: Int]
    var taskNames: [TaskID]
    var mismatches: [String]
    var steps: Int
    var longestTask: Int
    var nanoseconds: Int64 = 0
    /// The hash of what happened.
    var hash: UInt64 = 0
    /// The hash of who ran in which order.
    var order: UInt64 = 0
    var checks: [CheckRecord] = []
    var trace: Trace?

    init(_ result: RunResult) {
        failure = result.failure
        recorded = result.recorded
        decisions = result.report?.decisions ?? []
        preemptions = result.report?.preemptions ?? []
        workloads = result.report?.workloads ?? [:]
        taskNames = result.report?.taskNames ?? []
        mismatches = result.report?.mismatches ?? []
        steps = result.steps
        longestTask = result.report?.longestTask ?? 0
        trace = result.trace
        nanoseconds = result.time.nanoseconds
        hash = result.hash
        order = result.order
        checks = result.report?.checks ?? []
    }
}

extension Program {
    /// Runs the program once, in a process of its own if that is wanted.
    ///
    /// - Parameter mostSteps: After so many steps a run is ended with an error; `nil` for the limit that all runs have.
    func observe(
        _ recipe: Recipe,
        recording: Recording = .nothing,
        namesTasks: Bool = false,
        mostSteps: Int? = nil,
        isolated: Bool
    ) throws(ForkError) -> ObservedRun {
        if isolated {
            return try observeIsolated(
                recipe,
                recording: recording,
                namesTasks: namesTasks,
                mostSteps: mostSteps
            )
        }
        return ObservedRun(
            run(recipe, recording: recording) {
                $0.namesTasks = namesTasks
                if let mostSteps { $0.maximumSteps = min($0.maximumSteps, UInt64(clamping: mostSteps)) }
            }
        )
    }
}
