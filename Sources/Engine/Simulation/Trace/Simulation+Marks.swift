import CSimulation

extension Simulation {
    /// Something that explains a run, whose place in the program is kept where steps are.
    enum Mark {
        case fault(Firing)
        /// A property that is violated.
        case violation
    }

    /// Keeps where the running code is.
    func mark(_ mark: Mark) {
        guard configuration.recordsSteps, unsafe csim_mark_count(world) == marks.count else { return }
        unsafe csim_mark_place(world)
        marks.append(mark)
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
