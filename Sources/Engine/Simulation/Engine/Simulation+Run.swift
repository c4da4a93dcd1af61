import CSimulation

extension Simulation {
    /// Runs a body to its end and returns its result.
    ///
    /// Blocks the calling thread while everything runs on another one. When the body has ended, every task that is left is
    /// cancelled and run out. Simulations of one process run one after the other, unless their pace is real: the call waits
    /// for those of other threads.
    ///
    /// - Throws: What the body throws, or a ``SimulationError``.
    @discardableResult
    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        try runReporting(body).value
    }

    /// Runs a body to its end and returns its result together with what the run leaves behind.
    ///
    /// - Throws: What the body throws, or a ``SimulationError``.
    public func runReporting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> (value: Value, report: SimulationReport) {
        let (outcome, report) = try execute(body)
        return (try outcome.get(), report)
    }

    /// A body that ends well also when it says that it was cancelled, if ``Configuration/cancellation`` has cancelled a task.
    public static func acceptingCancellation(
        _ body: @escaping @Sendable () async throws -> Void
    ) -> @Sendable () async throws -> Void {
        {
            do { try await body() } catch let error as CancellationError {
                guard let world = unsafe csim_get_current(), unsafe csim_cancellations(world) > 0 else {
                    throw error
                }
            }
        }
    }

    /// Runs a body, and waits for it without blocking the caller's thread.
    ///
    /// Use this from async code where the pace is real: such a simulation waits in real time, and a waiting thread
    /// of the pool would be missing for what happens outside.
    ///
    /// - Throws: What the body throws, or a ``SimulationError``.
    public func runOnOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, report: SimulationReport) {
        let (result, report) = try await executeOnOwnThread(body)
        return (try result.get(), report)
    }

    /// Runs a body, and returns the report however the run ended.
    func execute<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> (Result<Value, any Error>, SimulationReport) {
        let outcome = try begin(body)
        if let owner = LoopThreadOwner.current {
            onBlocked = { [self] error in owner.lose(self, error) }
            return complete(outcome)
        }
        let end = RunEnd<(Result<Value, any Error>, SimulationReport)>()
        onBlocked = { [self] error in
            end.set((.failure(error), report))
            end.send()
        }
        // The texts of the name live as long as this function waits.
        let name = unsafe NamedRun()
        LoopThread.start({ [self] in name.carry { end.set(complete(outcome)) } }, end: { end.send() })
        return end.wait()
    }

    /// The same for async code.
    package func executeOnOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> (Result<Value, any Error>, SimulationReport) {
        let outcome = try begin(body)
        let name = NamedRun.Copy()
        return await withCheckedContinuation { continuation in
            let end = RunEnd<(Result<Value, any Error>, SimulationReport)>()
            onBlocked = { [self] error in continuation.resume(returning: (.failure(error), report)) }
            LoopThread.start(
                { [self] in name.carry { end.set(complete(outcome)) } },
                end: { continuation.resume(returning: end.take()) }
            )
        }
    }

    /// Runs the body of ``RuntimeProbe`` on the calling thread; whether it ended well.
    func runAsProbe(_ body: @escaping @Sendable () async throws -> Void) -> Bool {
        isProbe = true
        guard let outcome = try? begin(body) else { return false }
        let (result, _) = complete(outcome)
        return (try? result.get()) != nil
    }

    /// Makes the first task.
    ///
    /// It inherits the caller's task-local values, and runs when the loop does.
    private func begin<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws(SimulationError) -> Outcome<Value> {
        guard unsafe csim_get_current() == nil else { throw .nested }
        guard !hasRun else { throw .usedUp }
        hasRun = true
        RuntimeSupport.announceGaps()
        csim_tell_crashes()
        if !isProbe { RuntimeProbe.runOnce() }
        // In real pace it runs beside others, as programs do.
        if configuration.pace == .virtual { takeTurn() }
        let outcome = Outcome<Value>()
        unsafe csim_set_current(world)
        defer { unsafe csim_set_current(nil) }
        Task(name: "body") { [self] in
            do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            unsafe csim_finish(world)
        }
        return outcome
    }

    /// Waits until no other simulation with virtual time runs in this process.
    private func takeTurn() {
        csim_take_turn()
        holdsTurn = true
    }

    private func giveTurn() {
        guard holdsTurn else { return }
        holdsTurn = false
        csim_give_turn()
    }

    /// Runs the loop on the calling thread until the first task has ended, and what is left after it.
    private func complete<Value: Sendable>(
        _ outcome: Outcome<Value>
    ) -> (Result<Value, any Error>, SimulationReport) {
        unsafe csim_set_current(world)
        if scattersMemory { csim_scatter_memory(seed) }
        defer {
            release()
            unsafe csim_set_current(nil)
            if scattersMemory { csim_gather_memory() }
            giveTurn()
        }
        if configuration.pace == .real { unsafe csim_set_paced(world, true) }
        let end = unsafe csim_run(world, limits)
        // Looked at before what is left unwinds.
        let failure = failure(end)
        var report = makeReport()
        finalReport = report
        let unfinished = unwind()
        if let failure { return (.failure(failure), report) }
        report.unfinishedTasks = unfinished.count
        finalReport = report
        // A violated property ends the run, whatever the body does.
        let result = outcome.result ?? .failure(violation ?? CancellationError())
        if case .failure(let error) = result, configuration.recordsSteps {
            errorAddress = address(of: error)
        }
        if let error = error(result, report, unfinished) { return (.failure(error), report) }
        return (result, report)
    }

    /// The limits of a run that begins now.
    private var limits: csim_limits {
        unsafe csim_limits(
            steps: configuration.maximumSteps,
            time_ns: csim_moment_after(world, configuration.maximumTime.wholeNanoseconds),
            wait_ns: configuration.maximumWait.wholeNanoseconds
        )
    }

    private func failure(_ end: csim_result) -> (any Error)? {
        switch end {
        case CSIM_DONE: nil
        case CSIM_STEP_LIMIT: SimulationError.stepLimit(stuckReport())
        case CSIM_TIME_LIMIT: SimulationError.timeLimit(stuckReport())
        case CSIM_WAIT_LIMIT: SimulationError.waitLimit(stuckReport(), limit: configuration.maximumWait)
        case CSIM_DIVERGED: Diverged(self)
        case CSIM_BLOCKED: SimulationError.blocked(stuckReport())
        default: SimulationError.stuck(stuckReport())
        }
    }

    /// What is wrong with a run whose body has ended; `nil` when that is for the body to say.
    private func error<Value>(
        _ result: Result<Value, any Error>,
        _ report: SimulationReport,
        _ unfinished: [TaskReport]
    ) -> (any Error)? {
        var failure: (any Error)? = violation
        if failure == nil, case .failure(let error) = result { failure = error }
        // Who is cancelled may say so.
        if failure is CancellationError, report.cancellations > 0 { failure = nil }
        let forbidden = report.escapes.filter { !configuration.allowedEscapes.contains($0.kind) }
        if !forbidden.isEmpty {
            return SimulationError.escaped(
                forbidden,
                position: Position(seed: seed, step: report.steps, time: report.time),
                failure: failure.map { "\($0)" }
            )
        }
        if failure == nil, configuration.forbidsLeftovers, !unfinished.isEmpty {
            return SimulationError.leftovers(
                StuckReport(position: position, waiting: unfinished, escapes: report.escapes)
            )
        }
        return violation
    }

    /// Cancels what the body left behind, and what crashes have left, and lets it unwind within bounds; no one is notified of
    /// that part.
    ///
    /// Returns the tasks that did not end, without those of nodes that had crashed.
    private func unwind() -> [TaskReport] {
        isOver = true
        invariants = []
        guard unsafe csim_unwind(world, configuration.unwindsCrashedNodes) > 0 || csim_timer_count(world) > 0
        else { return [] }
        // What unwinds has virtual time.
        if !holdsTurn { takeTurn() }
        unsafe csim_set_paced(world, false)
        // Tasks of crashed nodes need not end: they get less.
        for steps in [20_000, 180_000] as [UInt64] {
            let limits = unsafe csim_limits(
                steps: csim_steps(world) + steps,
                time_ns: csim_now(world) + Duration.seconds(86_400).wholeNanoseconds,
                wait_ns: .max
            )
            _ = unsafe csim_run(world, limits)
            if unsafe csim_live_count(world) == 0 { return [] }
        }
        return waitingTasks()
    }

    /// Gives up everything that the world holds: parts of it, such as networks and disks, hold it in their turn.
    private func release() {
        healers = []
        onBlocked = nil
        nodes.forEach { $0.release() }
        unsafe csim_close(world)
        unsafe csim_release_events(world)
    }

    /// The run ends here, in the middle of code that blocks its thread forever.
    fileprivate func endBlocked() {
        let error = SimulationError.blocked(stuckReport())
        finalReport = makeReport()
        isOver = true
        let onBlocked = onBlocked
        unsafe csim_set_current(nil)
        giveTurn()
        NamedRun.forget()
        onBlocked?(error)
    }

    /// What the run has left behind so far; of its body alone, once that has ended.
    public var report: SimulationReport { finalReport ?? makeReport() }

    private func makeReport() -> SimulationReport {
        var count = 0
        let decisions = unsafe csim_choices(world, &count)
        return unsafe SimulationReport(
            seed: seed,
            steps: Int(csim_steps(world)),
            time: now,
            hash: csim_hash(world),
            order: csim_order(world),
            decisions: UnsafeBufferPointer(start: decisions, count: count).map { Decision($0) },
            preemptions: UnsafeBufferPointer(start: decisions, count: count).compactMap { Preemption($0) },
            longestTask: Int(csim_longest_task(world)),
            departures: Int(csim_departures(world)),
            firstDeparture: firstDeparture,
            cancellations: Int(csim_cancellations(world)),
            cancellationPoint: cancellationPoint,
            escapes: escapes(),
            unfinishedTasks: 0,
            firings: firings,
            checks: allChecks.sorted { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) },
            workloads: workloads,
            taskNames: taskNames.names,
            mismatches: mismatches(),
            isRearranged: csim_delay_of(world) == CSIM_DELAY_KEPT
        )
    }

    private var cancellationPoint: CancellationPoint? {
        let point = unsafe csim_cancelled(world)
        return point.task == 0 ? nil : .after(task: .number(Int(point.task)), steps: Int(point.steps))
    }

    private var firstDeparture: Departure? {
        guard unsafe csim_departures(world) > 0 else { return nil }
        let departure = unsafe csim_first_departure(world)
        return Departure(
            decision: Int(departure.choice),
            step: Int(departure.step),
            wanted: Decision(departure.wanted),
            taken: Decision(departure.taken)
        )
    }

    private func escapes() -> [Escape] {
        unsafe (0..<csim_escape_count(world)).map { unsafe Escape(csim_escape_at(world, $0)) }
    }

    private func stuckReport() -> StuckReport {
        let waiting = waitingTasks()
        let escapes = escapes().map { escape in
            var escape = escape
            escape.holderWaitsAt = waiting.first { $0.id == escape.holder }?.waitsAt.first
            return escape
        }
        return StuckReport(position: position, waiting: waiting, escapes: escapes)
    }

    private func waitingTasks() -> [TaskReport] {
        var waiting: [TaskReport] = []
        var task = unsafe csim_live_tasks(world)
        while let known = unsafe task {
            unsafe waiting.append(TaskReport(known, node: nodes[Int(known.pointee.node)].name))
            unsafe task = known.pointee.next.map { unsafe UnsafePointer($0) }
        }
        return waiting
    }
}

/// Ends a run whose code waits for what cannot come; called on its thread, which does not go on.
func endBlockedRun(_ world: OpaquePointer) {
    guard let owner = unsafe csim_owner(world) else { return }
    unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue().endBlocked()
}

/// Ends a run whose steps are compared, at the first that differs.
struct Diverged: Error {
    /// Its number, from 0.
    var index: Int
    var step: Divergence.Step
    var task: TaskReport?

    init(_ simulation: Simulation) {
        let step = unsafe csim_last_step(simulation.world)
        index = unsafe Int(csim_steps(simulation.world)) - 1
        self.step = simulation.describe(step)
        task = simulation.task(numbered: step.task)
    }
}

/// Holds the result of the body.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Invariant that makes this Sendable: written by the body's task and read after the run, on the loop's thread.
    var result: Result<Value, any Error>?
}
