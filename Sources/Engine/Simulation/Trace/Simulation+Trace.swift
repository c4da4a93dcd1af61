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
        let (places, placeOfStep, actorOfStep) = stepPlaces()
        return Trace(
            nodes: nodes.map(\.name),
            steps: unsafe steps.enumerated().map { index, step in
                var step = Trace.Step(step)
                guard placeOfStep.indices.contains(index) else { return step }
                step.place = placeOfStep[index]
                step.actor = actorOfStep[index]
                return step
            },
            tasks: unsafe zip(tasks, spawns).map { unsafe Trace.TaskRecord($0, place: $1) },
            events: events,
            places: places,
            actors: actorTypes(actorOfStep.max() ?? 0)
        )
    }

    /// The different places at which steps begin, the first being none, and for each step its place and its actor.
    private func stepPlaces() -> (places: [Trace.Place], ofSteps: [Int], actors: [Int]) {
        var count = 0
        let log = unsafe UnsafeBufferPointer(start: csim_place_log(world, &count), count: count)
        let stacks = unsafe log.map { unsafe frames(of: $0.frames) }
        _ = symbols(of: Array(Set(stacks.flatMap(\.self))))
        var places = [Trace.Place.none]
        var known: [Trace.Place: Int] = [.none: 0]
        var knownStacks: [[UInt]: Int] = [:]
        let ofSteps = stacks.map { stack in
            if let index = knownStacks[stack] { return index }
            let frame = SourceFrame.user(stack).first
            let place =
                frame.map { Trace.Place(function: $0.function, file: $0.file ?? "", line: $0.line) } ?? .none
            let index = known[place] ?? places.count
            if index == places.count {
                places.append(place)
                known[place] = index
            }
            knownStacks[stack] = index
            return index
        }
        return unsafe (places, ofSteps, log.map { Int($0.actor) })
    }

    private func actorTypes(_ last: Int) -> [String] {
        (0...last).map { number in
            guard let type = unsafe csim_actor_type(world, UInt32(number)) else { return "" }
            return unsafe typeName(type, qualified: false)
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
