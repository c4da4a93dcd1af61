import CSimulation

/// Gives the tasks of one run names that survive edits, and their numbers to the names that its recipe has.
struct TaskNames {
    /// By number less one; the body keeps its number as its name.
    private(set) var names: [TaskID] = []
    private var counts: [String: Int] = [:]
    /// Functions that spawn tasks, by the addresses of their callers.
    private var spawners: [[UInt]: String] = [:]
    /// Numbers that stand for names until their tasks are spawned.
    private var standIns: [TaskID: UInt32] = [:]

    /// The number of a task, or one that stands for it.
    mutating func number(of task: TaskID) -> UInt32 {
        guard case .spawned = task else {
            if case .number(let number) = task { return UInt32(clamping: number) }
            return 0
        }
        if let known = standIns[task] { return known }
        let standIn = UInt32(CSIM_NAMED) + UInt32(standIns.count)
        standIns[task] = standIn
        return standIn
    }

    /// The name of a task whose number is given, or one that stands for it; the number where there is no name.
    func name(of number: UInt32) -> TaskID {
        if let name = standIns.first(where: { $0.value == number })?.key { return name }
        let index = Int(number) - 1
        return names.indices.contains(index) ? names[index] : .number(Int(number))
    }

    /// Whether the recipe names a task.
    var isNeeded: Bool { !standIns.isEmpty }

    /// Names the next task; returns the number that has stood for it, if any.
    mutating func add(name: String?, frames: @autoclosure () -> [UInt]) -> UInt32? {
        if names.isEmpty {
            names.append(.number(1))
            return nil
        }
        let function = name ?? spawner(at: frames())
        let ordinal = counts[function, default: 0] + 1
        counts[function] = ordinal
        let id = TaskID.spawned(by: function, ordinal: ordinal)
        names.append(id)
        return standIns[id]
    }
}

extension TaskNames {
    private mutating func spawner(at frames: [UInt]) -> String {
        if let known = spawners[frames] { return known }
        let function = SourceFrame.user(frames).first.map { FunctionName.short($0.function) } ?? "unknown"
        spawners[frames] = function
        return function
    }
}

/// Names a task that has just been spawned.
func nameTask(_ world: OpaquePointer, _ task: UnsafePointer<csim_task>) {
    guard let owner = unsafe csim_owner(world) else { return }
    let simulation = unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    let name = unsafe task.pointee.name.map { unsafe String(cString: $0) }
    let standIn = unsafe simulation.taskNames.add(name: name, frames: frames(of: task.pointee.frames))
    if let standIn { unsafe csim_resolve_task(world, standIn, task.pointee.id) }
}
