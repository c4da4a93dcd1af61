import CSimulation

extension Simulation {
    /// Runs a body twice from one seed and compares every step, and how the runs end.
    ///
    /// - Returns: What the first run returned and left behind.
    /// - Throws: ``SimulationError/diverged(_:seed:)`` with the first step that differs; otherwise as ``run(_:)``.
    @discardableResult
    public static func checkDeterminism<Value: Sendable>(
        seed: UInt64,
        configuration: Configuration = Configuration(),
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> (value: Value, report: SimulationReport) {
        let first = Simulation(seed: seed, configuration: configuration)
        unsafe csim_record_steps(first.world, true)
        let (outcome, report) = try first.execute(body)
        var silent = configuration
        silent.onEvent = nil
        let second = Simulation(seed: seed, configuration: silent)
        var count = 0
        let log = unsafe csim_step_log(first.world, &count)
        // Steps after the body's end, in which what is left is cancelled, are not compared.
        unsafe csim_expect_steps(second.world, log, report.steps)
        let (other, again) = try withExtendedLifetime(first) { try second.execute(body) }
        if case .failure(is Diverged) = other {
            throw SimulationError.diverged(
                unsafe divergence(first: first, log: log, count: report.steps, second: second),
                seed: seed
            )
        }
        let (end, otherEnd) = (Self.end(of: outcome), Self.end(of: other))
        if again.steps < report.steps {
            let missing = unsafe log.map { unsafe first.describe($0[again.steps]) }
            throw SimulationError.diverged(
                Divergence(index: again.steps, first: missing, second: nil, secondEnd: otherEnd),
                seed: seed
            )
        }
        if again.hash != report.hash || end != otherEnd {
            throw SimulationError.diverged(
                Divergence(index: report.steps, first: nil, second: nil, firstEnd: end, secondEnd: otherEnd),
                seed: seed
            )
        }
        return (try outcome.get(), report)
    }

    /// How a run has ended, without what may differ between equal runs, such as an address in a message.
    private static func end<Value>(of outcome: Result<Value, any Error>) -> String {
        switch outcome {
        case .success: "well"
        case .failure(let error as SimulationError): error.code
        case .failure(let error as BrokenPromise): "\(error.kind.rawValue) “\(error.promise)” is broken"
        case .failure(let error): "\(type(of: error))"
        }
    }

    @unsafe private static func divergence(
        first: Simulation,
        log: UnsafePointer<csim_step>?,
        count: Int,
        second: Simulation
    ) -> Divergence {
        let index = unsafe Int(csim_steps(second.world)) - 1
        let expected = unsafe index < count ? log.map { unsafe first.describe($0[index]) } : nil
        return Divergence(
            index: index,
            first: expected,
            second: unsafe second.describe(csim_last_step(second.world)),
            task: unsafe second.task(numbered: csim_last_step(second.world).task)
        )
    }

    private func task(numbered id: UInt32) -> TaskReport? {
        var task = unsafe csim_live_tasks(world)
        while let known = unsafe task {
            if unsafe known.pointee.id == id {
                return unsafe TaskReport(known, node: nodes[Int(known.pointee.node)].name)
            }
            unsafe task = known.pointee.next.map { unsafe UnsafePointer($0) }
        }
        return nil
    }

    private func describe(_ step: csim_step) -> Divergence.Step {
        Divergence.Step(step, node: nodes[Int(step.node)].name)
    }
}
