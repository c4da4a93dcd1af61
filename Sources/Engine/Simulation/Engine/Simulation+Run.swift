import CSimulation

extension Simulation {
    /// Runs a body to its end and returns its result.
    ///
    /// Blocks the calling thread, on which everything runs. When the body has ended, every task that is left is
    /// cancelled and run out.
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

    /// Runs a body on a thread of its own, and waits for it without blocking the caller's.
    ///
    /// Use this from async code where the pace is real: such a simulation waits in real time, and a waiting thread
    /// of the pool would be missing for what happens outside.
    ///
    /// - Throws: What the body throws, or a ``SimulationError``.
    public func runOnOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, report: SimulationReport) {
        guard unsafe csim_get_current() == nil else { throw SimulationError.nested }
        let outcome = begin(body)
        let (result, report) = await withCheckedContinuation { continuation in
            startThread { [self] in
                continuation.resume(returning: complete(outcome))
            }
        }
        return (try result.get(), report)
    }

    /// Runs a body, and returns the report however the run ended.
    func execute<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> (Result<Value, any Error>, SimulationReport) {
        guard unsafe csim_get_current() == nil else { throw SimulationError.nested }
        return complete(begin(body))
    }

    /// Makes the first task.
    ///
    /// It inherits the caller's task-local values, and runs when the loop does.
    private func begin<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Outcome<
        Value
    > {
        RuntimeSupport.announceGaps()
        let outcome = Outcome<Value>()
        unsafe csim_set_current(world)
        defer { unsafe csim_set_current(nil) }
        Task(name: "body") { [self] in
            do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
            unsafe csim_finish(world)
        }
        return outcome
    }

    /// Runs the loop on the calling thread until the first task has ended, and what is left after it.
    private func complete<Value: Sendable>(
        _ outcome: Outcome<Value>
    ) -> (Result<Value, any Error>, SimulationReport) {
        unsafe csim_set_current(world)
        defer {
            letGo()
            unsafe csim_set_current(nil)
        }
        if configuration.pace == .real { unsafe csim_set_paced(world, true) }
        let end = unsafe csim_run(world, configuration.maximumSteps, timeLimit)
        // Looked at before what is left is given up.
        let failure = failure(end)
        var report = makeReport()
        if let failure {
            finalReport = report
            if end == CSIM_TIME_LIMIT { abandon() }
            return (.failure(failure), report)
        }
        let broken = brokenPromise
        report.unfinishedTasks = runOut()
        finalReport = report
        if let broken { return (.failure(broken), report) }
        guard let result = outcome.result else { preconditionFailure("the body ended without a result") }
        if isOrderly(result, report) {
            if configuration.forbidsLeftovers, report.unfinishedTasks > 0 {
                return (.failure(SimulationError.leftovers(stuckReport())), report)
            }
            if let escaped = escapeError() { return (.failure(escaped), report) }
        }
        return (result, report)
    }

    private var timeLimit: Int64 { configuration.maximumTime.wholeNanoseconds + originOfTime }

    /// Whether nothing but what is left behind can be wrong: who is cancelled may say so.
    private func isOrderly<Value>(_ result: Result<Value, any Error>, _ report: SimulationReport) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): error is CancellationError && report.cancellations > 0
        }
    }

    private func failure(_ end: csim_result) -> (any Error)? {
        switch end {
        case CSIM_DONE: nil
        case CSIM_STEP_LIMIT: SimulationError.stepLimit(stuckReport())
        case CSIM_TIME_LIMIT: SimulationError.timeLimit(stuckReport())
        case CSIM_DIVERGED: Diverged()
        default: SimulationError.stuck(stuckReport())
        }
    }

    /// Lets a run that has reached its time give back what it holds, as after its end; nobody is told of that part.
    private func abandon() {
        finalReport = makeReport()
        isAbandoned = true
        _ = runOut()
    }

    /// Cancels what the body left behind and lets it unwind, within bounds.
    ///
    /// Returns how many tasks did not.
    private func runOut() -> Int {
        let leftSteps: UInt64 = 200_000
        unsafe csim_resume_after_finish(world)
        unsafe csim_set_watcher(world, nil, nil)
        invariants = []
        guard unsafe csim_cancel_all(world) > 0 || csim_timer_count(world) > 0 else { return 0 }
        unsafe csim_set_paced(world, false)
        let limit = unsafe csim_steps(world) + leftSteps
        _ = unsafe csim_run(world, limit, csim_now(world) + Duration.seconds(86_400).wholeNanoseconds)
        return unsafe Int(csim_live_count(world))
    }

    /// Gives up everything that the world holds: parts of it, such as networks and disks, hold it in their turn.
    private func letGo() {
        healers = []
        nodes.forEach { $0.letGo() }
        unsafe csim_let_go(world)
    }

    /// What the run has left behind so far; of its body alone, once that has ended.
    public var report: SimulationReport { finalReport ?? makeReport() }

    private func makeReport() -> SimulationReport {
        var count = 0
        let choices = unsafe csim_choices(world, &count)
        return unsafe SimulationReport(
            seed: seed,
            steps: Int(csim_steps(world)),
            time: now,
            hash: csim_hash(world),
            order: csim_order(world),
            choices: UnsafeBufferPointer(start: choices, count: count).map { Choice($0) },
            switches: UnsafeBufferPointer(start: choices, count: count).compactMap { Switch($0) },
            departures: Int(csim_departures(world)),
            firstDeparture: firstDeparture,
            cancellations: Int(csim_cancellations(world)),
            cancellationPoint: cancellationPoint,
            escapes: escapes(),
            unfinishedTasks: 0,
            firings: firings,
            checks: allChecks.sorted { ($0.file, $0.line, $0.name) < ($1.file, $1.line, $1.name) },
            workloads: workloads
        )
    }

    private var cancellationPoint: CancellationPoint? {
        let point = unsafe csim_cancelled(world)
        return point.task == 0 ? nil : .after(task: Int(point.task), steps: Int(point.steps))
    }

    private var firstDeparture: Departure? {
        guard unsafe csim_departures(world) > 0 else { return nil }
        let departure = unsafe csim_first_departure(world)
        return Departure(
            choice: Int(departure.choice),
            step: Int(departure.step),
            wanted: Choice(departure.wanted),
            taken: Choice(departure.taken)
        )
    }

    private func escapes() -> [Escape] {
        unsafe (0..<csim_escape_count(world)).map { unsafe Escape(csim_escape_at(world, $0)) }
    }

    private func escapeError() -> SimulationError? {
        let forbidden = escapes().filter { !configuration.allowedEscapes.contains($0.kind) }
        return forbidden.isEmpty ? nil : .escaped(forbidden, position: position)
    }

    private func stuckReport() -> StuckReport {
        var waiting: [TaskReport] = []
        var task = unsafe csim_live_tasks(world)
        while let known = unsafe task {
            unsafe waiting.append(TaskReport(known, node: nodes[Int(known.pointee.node)].name))
            unsafe task = known.pointee.next.map { unsafe UnsafePointer($0) }
        }
        return StuckReport(position: position, waiting: waiting, escapes: escapes())
    }
}

/// Ends a run whose steps are compared; the caller knows the details.
struct Diverged: Error {}

/// Holds the result of the body.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Invariant that makes this Sendable: written by the body's task and read after the run, on the loop's thread.
    var result: Result<Value, any Error>?
}
