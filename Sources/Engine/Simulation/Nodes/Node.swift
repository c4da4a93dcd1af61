import CSimulation

/// A simulated process: what runs on it belongs to it, and ends with it.
///
/// Tasks, timers and resources belong to the node that was current when they were made. Nodes share this process's
/// memory, so state that must die with a node has to be created by its entry point. For what the test itself observes, use a
/// `Mutex`. An actor that nodes share outlives the crash of one of them: what that one had queued on it does not run.
public final class Node: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// Unique within the simulation.
    public let name: String
    let id: UInt32
    private unowned let simulation: Simulation
    private var entry: (@Sendable () async -> Void)?
    private var endings: [Int: @Sendable () -> Void] = [:]
    private var nextEnding = 0
    private var powerLosses: [@Sendable () -> Void] = []
    private var restarts: [@Sendable () -> Void] = []
    /// Crashes and losses of power so far.
    private var ends = 0
    private var everyEnding: [@Sendable () -> Void] = []

    init(id: UInt32, name: String, simulation: Simulation) {
        self.id = id
        self.name = name
        self.simulation = simulation
    }

    // MARK: State

    /// Whether it has not crashed, or has been restarted since.
    public var isAlive: Bool { unsafe csim_node_alive(simulation.world, id) }

    /// Whether its machine is on: from ``powerOff()`` until ``restart()`` it is not.
    public private(set) var hasPower = true

    /// Whether it stands still.
    public var isPaused: Bool { unsafe csim_node_paused(simulation.world, id) }

    /// How many lives it has had before this one.
    public var crashes: Int { unsafe Int(csim_node_epoch(simulation.world, id)) }

    /// Whether ``start(_:)`` has given it a program.
    var hasProgram: Bool { entry != nil }

    /// Lets code of the node draw from now on what the code of a node would draw that has another name, in a simulation of another seed.
    ///
    /// For a program that was recorded: it draws again what it drew then, whatever seed decides about its world.
    package func draw(as name: String, seed: UInt64) {
        unsafe csim_reseed_node(simulation.world, id, seed, name)
    }

    // MARK: Life

    /// Starts its program, which ``restart()`` will start again.
    public func start(_ entry: @escaping @Sendable () async -> Void) {
        self.entry = entry
        spawn { await entry() }
    }

    /// Ends its life at once: jobs and timers are dropped unrun, connections break, nothing is cleaned up.
    ///
    /// Code of the node that is running right now goes on to its next suspension and no further.
    public func crash() {
        precondition(id != 0, "the test's own node cannot crash")
        guard isAlive else { return }
        simulation.note("fault", "crash \(name)")
        unsafe csim_crash(simulation.world, id)
        let endings = endings.sorted { $0.key < $1.key }.map(\.value)
        self.endings = [:]
        for ending in endings + everyEnding { ending() }
        restartLater()
    }

    /// After what time a supervisor starts its program again when it has crashed or lost its power; `nil` for never.
    ///
    /// It does so once for each end, unless somebody else was quicker.
    public var restartDelay: Duration?

    private func restartLater() {
        ends += 1
        guard let restartDelay else { return }
        let end = ends
        // On the first node, which never crashes.
        simulation.node("test").asCurrent {
            simulation.schedule(after: restartDelay) { [self] in
                if !isAlive, ends == end { restart() }
            }
        }
    }

    /// Switches its machine off, until ``restart()``: its life ends, and its disks lose what they had not made durable.
    ///
    /// Also when it has crashed already, for what a dead process has written is still on its way to the disk. Nothing
    /// closes its connections: nothing more reaches the other ends.
    public func powerOff() {
        precondition(id != 0, "the test's own node cannot lose its power")
        guard hasPower else { return }
        simulation.note("fault", "power off \(name)")
        hasPower = false
        for loss in powerLosses { loss() }
        if isAlive { crash() } else { restartLater() }
    }

    /// Registers what must happen at each ``powerOff()``, before what is registered with ``onEnd(_:)``.
    public func onPowerOff(_ action: @escaping @Sendable () -> Void) { powerLosses.append(action) }

    /// Its wall clock: what `Date()` reads on it.
    public var clock: WallClock { WallClock(node: id, name: name, simulation: simulation) }

    /// Crashes it if it is alive, switches it on if it is off, and starts its program again.
    public func restart() {
        crash()
        simulation.note("fault", "restart \(name)")
        hasPower = true
        unsafe csim_revive(simulation.world, id)
        for action in restarts { action() }
        if let entry { spawn { await entry() } }
    }

    /// Registers what must happen at each ``restart()``, before its program starts.
    public func onRestart(_ action: @escaping @Sendable () -> Void) { restarts.append(action) }

    /// Lets it stand still: nothing of it runs, and what arrives waits.
    public func pause() {
        simulation.note("fault", "pause \(name)")
        unsafe csim_pause(simulation.world, id)
    }

    /// Lets it go on.
    public func resume() {
        simulation.note("fault", "resume \(name)")
        unsafe csim_unpause(simulation.world, id)
    }

    // MARK: Work

    /// Runs a body on this node and waits for it from another.
    ///
    /// - Throws: What the body throws, or ``NodeCrashed`` when the node's life ends first.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard isAlive else { throw NodeCrashed(node: name) }
        return try await withCheckedThrowingContinuation { continuation in
            let ending = onEnd { [name] in continuation.resume(throwing: NodeCrashed(node: name)) }
            spawn { [self] in
                let result: Result<Value, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                // Not there any more: the node has crashed in this very step, and the caller knows.
                if removeEnding(ending) { continuation.resume(with: result) }
            }
        }
    }

    /// Registers what must happen when this life ends, such as breaking a connection.
    ///
    /// Must not wait.
    ///
    /// - Returns: A number for ``removeEnding(_:)``.
    @discardableResult
    public func onEnd(_ action: @escaping @Sendable () -> Void) -> Int {
        defer { nextEnding += 1 }
        endings[nextEnding] = action
        return nextEnding
    }

    /// Registers what must happen at the end of each life, after what is registered with ``onEnd(_:)``.
    public func onEveryEnd(_ action: @escaping @Sendable () -> Void) { everyEnding.append(action) }

    /// Forgets a registered action.
    ///
    /// Returns whether it was still there.
    @discardableResult
    public func removeEnding(_ number: Int) -> Bool { endings.removeValue(forKey: number) != nil }

    /// Forgets its program and all that was registered, at the end of the run.
    func release() {
        // Emptied one after the other: what is freed here may look at the node.
        entry = nil
        endings = [:]
        powerLosses = []
        restarts = []
        everyEnding = []
    }

    /// Runs `body`, and lets what it makes belong to this node.
    public func asCurrent<Value>(_ body: () throws -> Value) rethrows -> Value {
        let before = unsafe csim_enter_node(simulation.world, id)
        defer { unsafe csim_return_to(simulation.world, before) }
        return try body()
    }

    private func spawn(_ body: @escaping @Sendable () async -> Void) {
        asCurrent { _ = Task(name: name) { await body() } }
    }
}

/// The node on which something ran has crashed.
public struct NodeCrashed: Error, Sendable, Hashable, CustomStringConvertible {
    /// The node's name.
    public var node: String

    /// One line for people.
    public var description: String { "the node “\(node)” has crashed" }
}
