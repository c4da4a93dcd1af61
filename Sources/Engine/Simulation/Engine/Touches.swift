import CSimulation

/// What steps have touched, as far as the engine can see: actors and tasks, the entropy of a node, the end of a main queue, the
/// moments for which timers were set, and the simulated world with its faults, messages and notes.
///
/// Memory is not seen: neither what a `Mutex` or an atomic guards, nor the buffer of an `AsyncStream`, nor a continuation
/// that waits in a variable. Whether a step has ended a task is; who would have waited for it is not, so that such a step
/// touches everything, but for the end of a child task, which only its parent waits for. Who cancels touches everything.
public struct Touches: Sendable, Hashable {
    /// Whether it is everything, or more than is kept.
    public var isEverything: Bool
    private var keys: Set<UInt64>

    /// Everything, which is what one must think of steps of which nothing is known.
    public static let everything = Touches(isEverything: true, keys: [])

    private init(isEverything: Bool, keys: Set<UInt64>) {
        self.isEverything = isEverything
        self.keys = keys
    }

    init(_ touches: csim_touches) {
        isEverything = touches.all
        keys = unsafe withUnsafeBytes(of: touches.keys) { bytes in
            unsafe Set(bytes.bindMemory(to: UInt64.self).prefix(Int(touches.count)))
        }
    }

    /// Whether there is something that both touch.
    public func overlap(_ other: Touches) -> Bool {
        isEverything || other.isEverything || !keys.isDisjoint(with: other.keys)
    }
}
