import CSimulation

/// The first step at which two runs of one seed differ.
public struct Divergence: Sendable, Hashable, CustomStringConvertible {
    /// One side of the comparison.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// Virtual time since the start.
        public var time: Duration
        /// The node that ran.
        public var node: String
        /// What ran: a task, an actor's queue, the main actor, or an event of the simulated world.
        public var kind: String
        /// The number of the task; 0 for none.
        public var task: Int
        /// Which of the ready ones was chosen, from 0.
        public var choice: Int
        /// How many were ready.
        public var ready: Int
        /// How many random draws the node had made after the step.
        public var draws: Int

        /// All of it on one line.
        public var description: String {
            let who = task == 0 ? kind : "\(kind) \(task)"
            return "\(time.seconds) \(node): \(who), \(choice + 1) of \(ready) ready, \(draws) draws so far"
        }
    }

    /// The number of the step, from 0.
    public var index: Int
    /// What the first run did; `nil` when it had ended.
    public var first: Step?
    /// What the second run did; `nil` when it had ended.
    public var second: Step?
    /// How the first run ended, in a word; `nil` when that is not what differs.
    public var firstEnd: String?
    /// How the second run ended, in a word; `nil` when that is not what differs.
    public var secondEnd: String?

    /// The task that ran in the second run.
    ///
    /// Up to here the first run had made the same tasks in the same order.
    public var task: TaskReport?

    /// Both sides, and what differs.
    public var description: String {
        let first = first?.description ?? ended(firstEnd)
        let second = second?.description ?? ended(secondEnd)
        return "step \(index) differs\(hint)\n  first run:  \(first)\n  second run: \(second)"
            + (task.map { "\n  \($0)" } ?? "")
    }

    private func ended(_ end: String?) -> String { "had ended" + (end.map { ": \($0)" } ?? "") }

    private var hint: String {
        if first == nil, second == nil, firstEnd != secondEnd { return " in how the run ends" }
        guard let first, let second else { return "" }
        if first.time != second.time { return " in time" }
        if first.task != second.task || first.kind != second.kind { return " in what ran" }
        if first.draws != second.draws { return " in the number of random draws" }
        return " in what was ready"
    }
}

extension Divergence.Step {
    init(_ step: csim_step, node: String) {
        self.init(
            time: .nanoseconds(step.time_ns - originOfTime),
            node: node,
            kind: ["task", "actor", "main actor", "event"][Int(step.kind)],
            task: Int(step.task),
            choice: Int(step.choice),
            ready: Int(step.ready),
            draws: Int(step.draws)
        )
    }
}
