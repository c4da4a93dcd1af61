import CSimulation

/// A task that has not completed.
public struct TaskReport: Sendable, Hashable, CustomStringConvertible {
    /// Its number in this simulation, from 1 in order of creation.
    public var id: Int
    /// The name given to `Task(name:)`, if any.
    public var name: String?
    /// The node on which it runs.
    public var node: String
    /// The number of the task that created it; 0 for none.
    public var parent: Int
    /// Virtual time of its creation, since the start.
    public var createdAt: Duration
    /// The code that created it, innermost first, without the runtime's own frames.
    public var spawnedAt: [SourceFrame]
    /// Where it is suspended: the line of its `await`, and those of its asynchronous callers, innermost first.
    ///
    /// Without the runtime's own frames; empty for a task that has not begun.
    public var waitsAt: [SourceFrame]

    /// One line: who, where it waits, and where and when it was spawned.
    public var description: String {
        let label = name.map { "“\($0)”" } ?? "without a name"
        var parts = ["task \(id) \(label) on node \(node)"]
        if let place = waitsAt.first {
            let most = 8
            parts.append("suspended at \(place)")
            parts += waitsAt.dropFirst().prefix(most).map { "called from \($0)" }
            if waitsAt.count > most + 1 { parts.append("…") }
        }
        // The first task is the body; who runs the simulation says nothing of it.
        let spawn = parent == 0 && id == 1 ? nil : spawnedAt.first
        parts.append("spawned at " + (spawn.map { "\($0) at " } ?? "") + createdAt.seconds)
        return parts.joined(separator: ", ")
    }
}

extension TaskReport {
    @unsafe init(_ task: UnsafePointer<csim_task>, node: String) {
        unsafe id = Int(task.pointee.id)
        unsafe name = task.pointee.name.map { unsafe String(cString: $0) }
        self.node = node
        unsafe parent = Int(task.pointee.parent)
        unsafe createdAt = .nanoseconds(task.pointee.created_ns - originOfTime)
        unsafe spawnedAt = SourceFrame.user(frames(of: task.pointee.frames))
        unsafe waitsAt = SourceFrame.user(waitingFrames(of: task))
    }
}

/// The asynchronous call stack of a suspended task, in the form of return addresses, innermost first.
private func waitingFrames(of task: UnsafePointer<csim_task>) -> [UInt] {
    let most: UInt32 = 64
    return unsafe withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: Int(most)) {
        guard let places = $0.baseAddress else { return [] }
        let count = unsafe csim_waiting_frames(task, places, most)
        return unsafe $0.prefix(Int(count)).map { UInt(bitPattern: $0) }
    }
}

/// The addresses of a fixed C array, without the empty places.
func frames<Tuple>(of tuple: Tuple) -> [UInt] {
    unsafe withUnsafeBytes(of: tuple) { bytes in
        unsafe bytes.bindMemory(to: UInt.self).filter { $0 != 0 }
    }
}

extension Duration {
    /// Seconds with six decimals, for people.
    var seconds: String {
        let micros = (wholeNanoseconds / 1000).magnitude
        let fraction = String(micros % 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(wholeNanoseconds < 0 ? "-" : "")\(micros / 1_000_000).\(zeros)\(fraction) s"
    }
}
