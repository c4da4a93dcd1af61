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
        var places: [UInt: String] = [:]
        return Trace(
            nodes: nodes.map(\.name),
            steps: unsafe steps.map { Trace.Step($0) },
            tasks: unsafe tasks.map { unsafe Trace.TaskRecord($0, places: &places) },
            events: events
        )
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
    /// Tasks made at the same place are looked up once.
    fileprivate init(_ task: csim_task, places: inout [UInt: String]) {
        let addresses = unsafe frames(of: task.frames)
        let key = addresses.first ?? 0
        let place = places[key] ?? SourceFrame.user(addresses).first.map { "\($0)" } ?? ""
        places[key] = place
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
