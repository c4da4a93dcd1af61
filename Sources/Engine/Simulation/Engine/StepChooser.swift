import CSimulation

/// A step that could run next, as a chooser sees it.
public struct ReadyStep: Sendable, Hashable {
    /// The number of its task; 0 when the step is no task's own.
    public var task: Int
    /// Tells it from all others of its run, as long as it is ready.
    public var serial: Int
    /// The number of its node.
    public var node: Int
    /// What would run.
    public var kind: StepKind
    /// The number of the actor on which it would run, in order of first sight; 0 for none.
    public var actor: UInt

    /// Whether the order of two steps may matter, as far as can be known before they run.
    ///
    /// Steps of different actors are taken to share nothing, except for what ``Touches`` reports after they have run; steps of no
    /// actor may share anything with others of their node, such as what a `Mutex` guards; events of the simulated world may
    /// share anything with anybody.
    public func isDependent(on other: ReadyStep) -> Bool { csim_are_dependent(raw, other.raw) }

    private var raw: csim_ready {
        csim_ready(
            touch: actor,
            task: UInt32(clamping: task),
            serial: UInt32(clamping: serial),
            node: UInt32(clamping: node),
            kind: kind.rawValue
        )
    }
}

/// Decides which of several ready steps runs next.
///
/// Called on the thread of its simulation, between steps. Must be deterministic, and not throw.
public final class StepChooser: Sendable {
    private let choose: @Sendable ([ReadyStep], Touches) -> Int

    /// Makes a chooser from a function that gets the ready steps, at least two, oldest first, and gives an index.
    public convenience init(_ choose: @escaping @Sendable ([ReadyStep]) -> Int) {
        self.init { ready, _ in choose(ready) }
    }

    /// Makes a chooser that also receives what was accessed since its last decision.
    public init(_ choose: @escaping @Sendable ([ReadyStep], Touches) -> Int) { self.choose = choose }

    fileprivate func answer(_ ready: [ReadyStep], _ touches: Touches) -> UInt32 {
        UInt32(clamping: choose(ready, touches))
    }
}

/// Asks a ``StepChooser`` from C.
func askChooser(_ context: UnsafeMutableRawPointer?, _ world: OpaquePointer, _ count: UInt32) -> UInt32 {
    guard let context = unsafe context else { return 0 }
    let chooser = unsafe Unmanaged<StepChooser>.fromOpaque(context).takeUnretainedValue()
    let ready = (0..<count).map { index in
        let step = unsafe csim_ready_at(world, index)
        return unsafe ReadyStep(
            task: Int(step.task),
            serial: Int(step.serial),
            node: Int(step.node),
            kind: StepKind(rawValue: step.kind) ?? .event,
            actor: UInt(csim_actor_number(world, step.touch))
        )
    }
    return chooser.answer(ready, Touches(unsafe csim_take_touches(world)))
}
