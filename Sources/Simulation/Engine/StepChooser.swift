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
    /// The actor on which it would run, as a number that is good for comparing the steps of one moment; 0 for none.
    public var actor: UInt

    /// Whether the order of two steps may matter, as far as the scheduler can see.
    ///
    /// Steps of different actors share nothing but what crosses between them, which Swift checks; steps of no actor
    /// may share anything with others of their node, such as what a `Mutex` guards.
    public func isDependent(on other: ReadyStep) -> Bool {
        node == other.node && (actor == other.actor || actor == 0 || other.actor == 0)
    }
}

/// Decides which of several ready steps runs next.
///
/// Called on the thread of its simulation, between steps. Must be deterministic, and not throw.
public final class StepChooser: Sendable {
    private let choose: @Sendable ([ReadyStep]) -> Int

    /// Makes a chooser from a function that gets the ready steps, at least two, oldest first, and gives an index.
    public init(_ choose: @escaping @Sendable ([ReadyStep]) -> Int) { self.choose = choose }

    fileprivate func answer(_ ready: [ReadyStep]) -> UInt32 { UInt32(clamping: choose(ready)) }
}

/// Asks a ``StepChooser`` from C.
let askChooser: csim_chooser = { context, world, count in
    guard let context = unsafe context else { return 0 }
    let chooser = unsafe Unmanaged<StepChooser>.fromOpaque(context).takeUnretainedValue()
    let ready = (0..<count).map { index in
        let step = unsafe csim_ready_at(world, index)
        return ReadyStep(
            task: Int(step.task),
            serial: Int(step.serial),
            node: Int(step.node),
            kind: StepKind(rawValue: step.kind) ?? .event,
            actor: step.touch
        )
    }
    return chooser.answer(ready)
}
