import CSimulation

extension Simulation {
    /// Something that explains a run, whose place in the program is kept where steps are.
    enum Mark {
        case fault(Firing)
        case clockStep(node: String, by: Duration)
        /// A property that is violated.
        case violation
    }

    /// Keeps where the running code is.
    func mark(_ mark: Mark) {
        guard configuration.recordsSteps, unsafe csim_mark_count(world) == marks.count else { return }
        unsafe csim_mark_place(world)
        marks.append(mark)
    }

    /// Counts and marks a step of a clock; false where the run does without it.
    func happens(_ step: Mark) -> Bool {
        clockSteps += 1
        if configuration.rearrangement?.omission == .clockStep(clockSteps) { return false }
        mark(step)
        return true
    }

    /// What the program did that may be the cause of a failure, with the call stacks.
    var markedActs: [(Trace.Act, stack: [UInt])] {
        let cancellations = unsafe (0..<csim_cancelling_count(world)).map { index in
            let raw = unsafe csim_cancelling_at(world, index)
            return unsafe (
                Trace.Act(
                    kind: .cancellation,
                    step: Int(raw.step),
                    stack: 0,
                    task: Int(raw.task),
                    detail: ""
                ),
                stack: frames(of: raw.frames)
            )
        }
        let clockSteps = unsafe marks.prefix(csim_mark_count(world)).enumerated().compactMap { index, mark in
            guard case .clockStep(let node, let time) = mark else {
                return nil as (Trace.Act, stack: [UInt])?
            }
            let raw = unsafe csim_mark_at(world, index)
            let detail = "\(node) by \(time.seconds)"
            return unsafe (
                Trace.Act(kind: .clockStep, step: Int(raw.step), stack: 0, task: 0, detail: detail),
                stack: frames(of: raw.frames)
            )
        }
        return cancellations + clockSteps
    }

    /// The steps and call stacks of the faults, and that of the failure, if they are known.
    var markedPlaces: (faults: [(Firing, step: Int, stack: [UInt])], failure: (step: Int, stack: [UInt])?) {
        var faults: [(Firing, step: Int, stack: [UInt])] = []
        var failure: (step: Int, stack: [UInt])?
        for (index, mark) in unsafe marks.prefix(csim_mark_count(world)).enumerated() {
            let raw = unsafe csim_mark_at(world, index)
            let stack = unsafe frames(of: raw.frames)
            switch mark {
            case .fault(let firing): faults.append((firing, Int(raw.step), stack))
            case .clockStep: break
            case .violation: failure = failure ?? (Int(raw.step), stack)
            }
        }
        if failure == nil, errorAddress != 0 {
            let raw = unsafe csim_throw_of(world, errorAddress)
            if raw.error != 0 { failure = unsafe (Int(raw.step), frames(of: raw.frames)) }
        }
        return (faults, failure)
    }
}
