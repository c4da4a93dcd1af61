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
    public var startedAt: [SourceFrame]

    /// One line: who, where, since when.
    public var description: String {
        let label = name.map { "“\($0)”" } ?? "without a name"
        let place = startedAt.first.map { ", started by \($0)" } ?? ""
        return "task \(id) \(label) on node \(node)\(place) at \(createdAt.seconds)"
    }
}

extension TaskReport {
    @unsafe init(_ task: UnsafePointer<csim_task>, node: String) {
        unsafe id = Int(task.pointee.id)
        unsafe name = task.pointee.name.map { unsafe String(cString: $0) }
        self.node = node
        unsafe parent = Int(task.pointee.parent)
        unsafe createdAt = .nanoseconds(task.pointee.created_ns - originOfTime)
        unsafe startedAt = SourceFrame.user(frames(of: task.pointee.frames))
    }
}

/// The addresses of a fixed C array, without the empty places.
func frames<Tuple>(of tuple: Tuple) -> [UInt] {
    unsafe withUnsafeBytes(of: tuple) { bytes in
        unsafe bytes.bindMemory(to: UInt.self).filter { $0 != 0 }
    }
}

extension SourceFrame {
    /// The frames that are the program's own: without the engine, the Swift runtime and its inlined entry points.
    static func user(_ addresses: [UInt]) -> [SourceFrame] {
        let symbols = symbols(of: addresses)
        return addresses.flatMap { symbols[$0] ?? [] }.filter(\.isUser)
    }

    /// Whether the frame is none of the engine's, the runtime's, or the compiler's.
    var isUser: Bool {
        let file = file ?? ""
        let runtime = [
            "swift_", "csim_", "_swift_", "swift::", "Task.init", "Task<", "TaskGroup.", "static Task",
        ]
        return !file.contains("Sources/Engine/CSimulation/") && !file.contains("Sources/Engine/Simulation/")
            && !file.contains("<compiler-generated>")
            && !runtime.contains { function.hasPrefix($0) }
            && !function.contains("protocol witness for")
    }
}

extension Duration {
    /// Seconds with six decimals, for people.
    var seconds: String {
        let micros = wholeNanoseconds / 1000
        let fraction = String(micros % 1_000_000)
        return "\(micros / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction) s"
    }
}
