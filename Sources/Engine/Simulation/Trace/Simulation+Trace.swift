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
        let spawns = Self.places(of: stacks)
        let places = unsafe StepPlaces(self, tasks: steps.map { Int($0.task) }, spawns: stacks)
        return Trace(
            nodes: nodes.map(\.name),
            steps: withPreemptions(unsafe zip(steps, places.ofSteps).map { Trace.Step($0, $1) }),
            tasks: unsafe zip(tasks, spawns).map { unsafe Trace.TaskRecord($0, place: $1) },
            events: events,
            places: places.places,
            stacks: places.stacks,
            marks: places.marks,
            acts: places.acts,
            actors: actorTypes(places.ofSteps.map(\.actor).max() ?? 0)
        )
    }

    /// Marks the steps that were chosen against the rule that whoever runs goes on, where decisions were recorded.
    private func withPreemptions(_ steps: [Trace.Step]) -> [Trace.Step] {
        var count = 0
        let choices = unsafe UnsafeBufferPointer(start: csim_choices(world, &count), count: count)
        let chosen = steps.indices.filter { steps[$0].ready > 1 }
        // What is left at the end of a run unwinds without decisions.
        guard chosen.count >= count else { return steps }
        var result = steps
        for unsafe(index, choice) in unsafe zip(chosen, choices) { result[index].preempts = !choice.stays }
        return result
    }

    private func actorTypes(_ last: Int) -> [String] {
        (0...last).map { number in
            guard let type = unsafe csim_actor_type(world, UInt32(number)) else { return "" }
            return unsafe typeName(type)
        }
    }

    /// For each stack its innermost place in the program itself; empty where there is none.
    private static func places(of stacks: [[UInt]]) -> [String] {
        // All at once, since each question costs a round trip.
        _ = symbols(of: stacks.flatMap(\.self))
        return stacks.map { stack in SourceFrame.user(stack).first.map { "\($0)" } ?? "" }
    }
}

extension Trace.Step {
    fileprivate init(_ step: csim_step, _ place: StepPlaces.Step) {
        self.init(
            nanoseconds: step.time_ns - originOfTime,
            node: Int(step.node),
            task: Int(step.task),
            kind: StepKind(rawValue: step.kind) ?? .event,
            cause: Int(step.cause),
            choice: Int(step.choice),
            ready: Int(step.ready),
            place: place.place,
            stack: place.stack,
            begins: place.begins,
            actor: place.actor
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
