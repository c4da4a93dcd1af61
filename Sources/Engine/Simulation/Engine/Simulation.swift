import CSimulation

/// The monotonic clock at the start of every simulation.
let originOfTime: Int64 = CSIM_START_NS

/// Runs plain Swift concurrency deterministically: one thread, virtual time, and an order that a seed decides.
///
/// Inside, product code uses `Task.sleep`, `Date()`, `ContinuousClock`, `UUID()`, `.random`, actors and the main
/// actor as anywhere; all of it comes from the simulation. Several simulations may run at once, each on a thread of
/// its own. A simulation runs one body and is used up by it.
///
/// What it does not cover: jobs that have queued up on one busy actor run as one step, in their order; and what
/// the process keeps in static variables is shared by all simulations in it. Simulations that use one actor of the process,
/// such as a global actor, do so one after the other.
@safe public final class Simulation: @unchecked Sendable {
    // Invariant that makes this Sendable: everything mutable is reached only on the thread on which the simulation
    // is current; `inject`, the one exception, is guarded by the world's lock.

    /// Decides everything that is left to chance.
    public let seed: UInt64
    /// What was asked for.
    public let configuration: Configuration

    let world: OpaquePointer
    private(set) var nodes: [Node] = []
    private var nodeNumbers: [String: Int] = ["test": 0]

    var faultSources: [String: FaultSource] = [:]
    var faultPoints: [String: ArmedFaultPoint] = [:]
    var firings: [Firing] = []
    var healers: [@Sendable () -> Void] = []
    /// Whether ``heal()`` has ended all faults.
    public internal(set) var isHealed = false
    /// Whether replayed decisions have come to their end, and chance goes on.
    var isInFuture = false
    var checks: [CheckKey: CheckRecord] = [:]
    var probes: [ProbePlace: CheckKey] = [:]
    var violation: PropertyViolation?
    var invariants: [Invariant] = []
    var workloads: [String: Int] = [:]
    /// Names of the tasks so far, where somebody wants them.
    var taskNames = TaskNames()
    var finalReport: SimulationReport?
    /// What happened where, in a recorded run.
    var marks: [Mark] = []
    /// Steps of wall clocks so far.
    var clockSteps = 0
    /// The address of the error with which the body has ended; 0 for none.
    var errorAddress: UInt = 0
    /// Whether the run is over, and what is left only gives back what it holds.
    package internal(set) var isOver = false
    /// Takes the failure of a run whose code waits for what cannot come, in place of its end.
    var onBlocked: ((SimulationError) -> Void)?
    /// Whether it has run; it does so once.
    var hasRun = false
    /// Whether it is the one of ``RuntimeProbe``.
    var isProbe = false
    /// Whether it is the one with virtual time that runs in this process.
    var holdsTurn = false
    /// Whether memory is allocated at other addresses than usual.
    var scattersMemory = false
    /// Where what is drawn from here on comes from.
    let chance: Chance
    var drifts: [UInt32: Double] = [:]

    /// Prepares a simulation; nothing runs yet.
    public init(seed: UInt64, configuration: Configuration = Configuration()) {
        self.seed = seed
        chance = Chance(seed: seed)
        self.configuration = configuration
        unsafe world = csim_create(
            seed,
            configuration.rearrangement == nil ? configuration.schedule.strategy : CSIM_FOLLOWING,
            configuration.startOfTime.wholeNanoseconds
        )
        unsafe csim_write_places_by(writePlaces)
        unsafe csim_limit_steps(world, max(0, configuration.stepTimeout.wholeNanoseconds))
        unsafe csim_record_choices(world, configuration.recordsDecisions)
        unsafe csim_record_steps(world, configuration.recordsSteps)
        if configuration.recordsSteps { unsafe csim_record_places(world) }
        unsafe csim_set_owner(world, Unmanaged.passUnretained(self).toOpaque())
        nodes.append(Node(id: 0, name: "test", simulation: self))
        unsafe csim_allow_escapes(world, configuration.allowedEscapes.reduce(0) { $0 | $1.mask })
        unsafe csim_choose_threads(world, configuration.threads == .simulated)
        unsafe csim_choose_dispatch(world, configuration.dispatch == .simulated || simulatesThreads)
        prepareSchedule()
        prepareCancellation()
        prepareStalls()
        prepareInterruptions()
        prepareTiming()
        if configuration.namesTasks || taskNames.isNeeded { unsafe csim_set_task_handler(world, nameTask) }
    }

    private func prepareSchedule() {
        unsafe csim_set_horizon(world, UInt64(clamping: configuration.horizon))
        if let rearrangement = configuration.rearrangement { return unsafe rearrangement.apply(to: world) }
        switch configuration.schedule {
        case .firstInFirstOut, .random, .partialOrder, .reentrant: break
        case .runUntilBlocked(let preemptions):
            let preemptions = preemptions.map { $0.raw(&taskNames) }
            unsafe csim_set_preemptions(world, preemptions, preemptions.count)
        case .priorities(let depth): unsafe csim_set_depth(world, UInt32(clamping: depth))
        case .sticky(let decisions): unsafe csim_set_stickiness(world, UInt32(clamping: decisions))
        case .replaying(let decisions):
            let decisions = decisions.map { $0.raw }
            unsafe csim_set_choices(world, decisions, decisions.count)
            if configuration.future != nil { unsafe csim_go_on_after_replay(world, beginFuture) }
        case .chosen(let chooser):
            unsafe csim_set_chooser(world, askChooser, Unmanaged.passUnretained(chooser).toOpaque())
        }
    }

    func prepareCancellation() {
        switch configuration.cancellation {
        case nil: break
        case .after(let task, let steps):
            unsafe csim_cancel_later(world, taskNames.number(of: task), UInt32(clamping: steps))
        case .drawn:
            var stream = unsafe csim_make_stream(chance.seed, "world/cancellation")
            let steps = unsafe 1 + csim_draw_moment(&stream, UInt64(clamping: configuration.horizon))
            // Half of the time the first task that runs so many, otherwise a later one.
            let skipped = unsafe csim_draw(&stream).trailingZeroBitCount
            unsafe csim_cancel_at(world, steps, UInt64(skipped))
        }
    }

    private func prepareTiming() {
        // Where a chooser chooses, the time of a step would depend on those before it, which may commute with it.
        guard configuration.timing == .drawn, configuration.pace == .virtual else { return }
        if case .chosen = configuration.schedule { return }
        unsafe csim_draw_timing(world, seed)
    }

    deinit { unsafe csim_destroy(world) }

    // MARK: Where we are

    /// The simulation that runs the calling code, or `nil` in the real world.
    public static var current: Simulation? {
        guard let world = unsafe csim_get_current(), let owner = unsafe csim_owner(world) else { return nil }
        return unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Virtual time since the start.
    public var now: Duration { unsafe .nanoseconds(csim_now(world) - originOfTime) }

    /// Steps, time and seed so far.
    public var position: Position {
        unsafe Position(seed: seed, step: Int(csim_steps(world)), time: now)
    }

    /// The node to which the running code belongs.
    ///
    /// Outside a run it is the first one.
    public var currentNode: Node { unsafe nodes[Int(csim_current_node(world))] }

    // MARK: The world

    /// Returns the node of that name, and makes it at the first call.
    ///
    /// The first node, on which the body of ``run(_:)`` runs, is called `test`.
    public func node(_ name: String) -> Node {
        if let known = nodeNumbers[name] { return nodes[known] }
        let id = unsafe csim_add_node(world, name, chance.seed)
        let node = Node(id: id, name: name, simulation: self)
        nodeNumbers[name] = nodes.count
        nodes.append(node)
        return node
    }

    /// Names of all nodes, in the order in which they were made; the first is `test`.
    public var nodeNames: [String] { nodes.map(\.name) }

    /// Starts a stream of random numbers of this seed; equal labels give equal streams.
    ///
    /// It begins again where the run branches.
    public func entropy(_ label: String) -> EntropyStream {
        EntropyStream(chance, label: "world/\(label)")
    }

    /// Runs `event` as a step of its own, after a delay, on the node that is current now.
    ///
    /// The event is dropped if that node crashes before. It must not wait for anything.
    public func schedule(after delay: Duration, _ event: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(EventBox(event))
        let time = unsafe csim_moment_after(world, max(0, delay.wholeNanoseconds))
        unsafe csim_call_at(world, time, runEvent, box.toOpaque())
    }

    /// Lets virtual time pass within the running step, for everybody, as a call that blocks a thread does.
    ///
    /// For parts of the simulated world that are called synchronously, such as a slow disk.
    public func passTime(_ time: Duration) { unsafe csim_pass_time(world, max(0, time.wholeNanoseconds)) }

    /// Notes that something happened: it becomes part of the hash, and of the trace if there is one.
    ///
    /// - Parameters:
    ///   - kind: The kind in the field's terms: `message`, `fault`, `state`.
    ///   - detail: What happened. Must not contain addresses, secrets or anything that differs between runs.
    public func note(_ kind: StaticString, _ detail: @autoclosure () -> String) {
        let detail = detail()
        unsafe csim_mix(world, csim_hash_bytes(kind.utf8Start, kind.utf8CodeUnitCount))
        var text = detail
        text.withUTF8 { unsafe csim_mix(world, csim_hash_bytes($0.baseAddress ?? kind.utf8Start, $0.count)) }
        touchesWorld()
        guard let onEvent = configuration.onEvent, !isOver else { return }
        onEvent(
            TraceEvent(
                step: unsafe Int(csim_steps(world)),
                nanoseconds: unsafe csim_now(world) - originOfTime,
                node: currentNode.name,
                kind: "\(kind)",
                detail: detail
            )
        )
    }
}

extension Simulation {
    /// Reports to a search that the running step reads or changes what the nodes share: faults, messages, what is noted.
    func touchesWorld() { unsafe csim_touch(world, CSIM_TOUCH_WORLD, 0) }
}

/// Carries a closure through C.
final class EventBox {
    let event: () -> Void
    init(_ event: @escaping () -> Void) { self.event = event }
}

/// Frees an ``EventBox`` that is not run.
let releaseEvent: csim_release = { context in
    unsafe Unmanaged<EventBox>.fromOpaque(context).release()
}

/// Runs and frees an ``EventBox``.
let runEvent: csim_call = { context in
    guard let context = unsafe context else { return }
    unsafe Unmanaged<EventBox>.fromOpaque(context).takeRetainedValue().event()
}
