import CSimulation

extension Simulation {
    /// Gives everything that was recorded of a run, after it has ended.
    ///
    /// Reading the places where tasks were made takes tens of milliseconds.
    ///
    /// - Parameter events: What ``Configuration/onEvent`` has received.
    /// - Precondition: ``Configuration/recordsSteps`` was set.
    public func trace(events: [TraceEvent]) -> Trace {
        precondition(configuration.recordsSteps, "a trace needs recordsSteps in the configuration")
        var stepCount = 0
        var taskCount = 0
        let steps = unsafe UnsafeBufferPointer(start: csim_step_log(world, &stepCount), count: stepCount)
        let tasks = unsafe UnsafeBufferPointer(start: csim_task_log(world, &taskCount), count: taskCount)
        let stacks = unsafe tasks.map { unsafe frames(of: $0.frames) }
        let places = Self.places(of: stacks)
        return Trace(
            nodes: nodes.map(\.name),
            steps: unsafe steps.map { Trace.Step($0) },
            tasks: unsafe zip(tasks, places).map { unsafe Trace.TaskRecord($0, place: $1) },
            events: events
        )
    }

    /// For each stack its innermost place in the program itself; empty where there is none.
    ///
    /// Names of addresses are slow to find: none is looked for further out than needed.
    private static func places(of stacks: [[UInt]]) -> [String] {
        var places = stacks.map { _ in "" }
        var open = Array(stacks.indices)
        for depth in 0..<(stacks.map(\.count).max() ?? 0) {
            open.removeAll { stacks[$0].count <= depth }
            let symbols = symbols(of: open.map { stacks[$0][depth] })
            open.removeAll { index in
                let symbol = symbols[stacks[index][depth]]?.first { $0.origin == .program }
                guard let user = symbol?.frame else { return false }
                places[index] = "\(user)"
                return true
            }
        }
        return places
    }
}

extension Trace.Step {
    fileprivate init(_ step: csim_step) {
        self.init(
            nanoseconds: step.time_ns - originOfTime,
            node: Int(step.node),
            task: Int(step.task),
            kind: StepKind(rawValue: step.kind) ?? .event,
            cause: Int(step.cause),
            choice: Int(step.choice),
            ready: Int(step.ready)
        )
    }
}

extension Trace.TaskRecord {
    fileprivate init(_ task: csim_task, place: String) {
        unsafe self.init(
            id: Int(task.id),
            name: task.name.map { unsafe String(cString: $0) } ?? "",
            parent: Int(task.parent),
            node: Int(task.node),
            nanoseconds: task.created_ns - originOfTime,
            place: place
        )
    }
}
