import CSimulation

/// Where the steps of a recorded run begin.
struct StepPlaces {
    /// What is known of one step.
    struct Step {
        /// An index into ``StepPlaces/places``.
        var place = 0
        /// An index into ``StepPlaces/stacks``.
        var stack = 0
        var begins = false
        var actor = 0
    }

    /// The different places, the first being none.
    private(set) var places = [Trace.Place.none]
    /// The different call stacks, the first being empty; indices into ``places``, innermost first.
    private(set) var stacks: [[Int]] = [[]]
    /// The faults, and last the failure.
    private(set) var marks: [Trace.Mark] = []
    /// What the program did that may be the cause of a failure.
    private(set) var acts: [Trace.Act] = []
    /// For each step what is known of it.
    private(set) var ofSteps: [Step] = []
    private var known: [Trace.Place: Int] = [.none: 0]

    /// Reads what a simulation has recorded.
    ///
    /// - Parameters:
    ///   - tasks: The numbers of the steps' tasks; 0 for none.
    ///   - spawns: The call stacks that have spawned the tasks, by their numbers less one.
    init(_ simulation: Simulation, tasks: [Int], spawns: [[UInt]]) {
        var count = 0
        let log = unsafe UnsafeBufferPointer(start: csim_place_log(simulation.world, &count), count: count)
        let addresses = unsafe log.map { unsafe frames(of: $0.frames) }
        let marked = simulation.markedPlaces
        let acted = simulation.markedActs
        // All at once, since each question costs a round trip.
        _ = symbols(
            of: Array(
                Set(
                    (addresses + marked.faults.map(\.stack) + acted.map(\.stack)
                        + [marked.failure?.stack ?? []]).joined()
                )
            )
        )
        for (fault, step, stack) in marked.faults {
            marks.append(Trace.Mark(fault: fault, step: step, stack: add(SourceFrame.user(stack))))
        }
        if let failure = marked.failure {
            marks.append(
                Trace.Mark(fault: nil, step: failure.step, stack: add(SourceFrame.user(failure.stack)))
            )
        }
        for (act, stack) in acted {
            acts.append(act)
            acts[acts.count - 1].stack = add(SourceFrame.user(stack))
        }
        var knownStacks: [[UInt]: Int] = [[]: 0]
        for unsafe(index, step) in unsafe log.enumerated() {
            // Where nothing but a library goes on, whose lines nobody knows, the task is known by the line that spawned it.
            let isKnown = SourceFrame.user(addresses[index]).contains { $0.line > 0 }
            let task = tasks.indices.contains(index) ? tasks[index] - 1 : -1
            let spawn = spawns.indices.contains(task) ? spawns[task] : []
            let key = isKnown || spawn.isEmpty ? addresses[index] : spawn
            let stack = knownStacks[key] ?? add(SourceFrame.user(key))
            knownStacks[key] = stack
            ofSteps.append(
                Step(
                    place: stacks[stack].first ?? 0,
                    stack: stack,
                    begins: step.begins,
                    actor: Int(step.actor)
                )
            )
        }
    }

    private mutating func add(_ frames: [SourceFrame]) -> Int {
        stacks.append(
            frames.map { frame in
                let place = Trace.Place(function: frame.function, file: frame.file ?? "", line: frame.line)
                if let index = known[place] { return index }
                places.append(place)
                known[place] = places.count - 1
                return places.count - 1
            }
        )
        return stacks.count - 1
    }
}
