/// What a run reports in addition to its result.
public struct SimulationReport: Sendable, Hashable {
    /// The seed.
    public var seed: UInt64
    /// Steps until the body ended.
    public var steps: Int
    /// Virtual time until the body ended.
    public var time: Duration
    /// The running hash of every step and event until the body ended: equal hashes mean equal runs.
    public var hash: UInt64
    /// A hash of who ran in which order: equal also where times, draws and events differ.
    public var order: UInt64
    /// The decisions that were made where more than one step was ready; empty unless they were recorded.
    public var decisions: [Decision]
    /// The decisions that departed from ``Schedule/runUntilBlocked(_:)``; empty unless decisions were recorded.
    public var preemptions: [Preemption]
    /// How many steps a task has run at most; see ``Simulation/Configuration/horizon``.
    public var longestTask: Int
    /// How often a replayed choice did not fit.
    public var departures: Int
    /// The first replayed choice that did not fit; `nil` when all did.
    public var firstDeparture: Departure?
    /// How many tasks ``Simulation/Configuration/cancellation`` has cancelled.
    public var cancellations: Int
    /// Which task was cancelled, and after how many of its steps; `nil` when none was.
    public var cancellationPoint: CancellationPoint?
    /// What tried to leave the simulation.
    public var escapes: [Escape]
    /// Tasks that went on after the body had ended and everything was cancelled.
    public var unfinishedTasks: Int
    /// The faults that happened, in order.
    public var firings: [Firing] = []
    /// What the checks in the code found, by place.
    public var checks: [CheckRecord] = []
    /// The workloads that the run asked for, and how many items each has.
    public var workloads: [String: Int] = [:]
    /// The names of all tasks by number, less one; empty unless ``Simulation/Configuration/namesTasks`` asks for them.
    public var taskNames: [TaskID] = []
    /// What was to decide the run and did not, each in a sentence: a preemption whose moment never came, a fault that did not
    /// happen.
    public var mismatches: [String] = []
    /// Whether the delayed step of ``Simulation/Configuration/rearrangement`` has run after the other one.
    package var isRearranged = false
}
