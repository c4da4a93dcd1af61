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
        // What depends on addresses, such as the order of a set of object identifiers, is to show.
        second.scattersMemory = true
        // Steps after the body's end, in which what is left is cancelled, are not compared.
        unsafe csim_expect_steps(second.world, log, report.steps)
        let (other, again) = try withExtendedLifetime(first) { try second.execute(body) }
        if case .failure(let diverged as Diverged) = other {
            let expected =
                unsafe diverged.index < report.steps
                ? log.map { unsafe first.describe($0[diverged.index]) } : nil
            throw SimulationError.diverged(
                Divergence(
                    index: diverged.index,
                    first: expected,
                    second: diverged.step,
                    task: diverged.task
                ),
                seed: seed
            )
        }
        let (end, otherEnd) = (Self.end(of: outcome), Self.end(of: other))
        if case (.success(let value), .success(let otherValue)) = (outcome, other),
            !Self.areEqual(value, otherValue)
        {
            throw SimulationError.diverged(
                Divergence(
                    index: report.steps,
                    first: nil,
                    second: nil,
                    firstEnd: "with the result \(Self.short(value))",
                    secondEnd: "with the result \(Self.short(otherValue))"
                ),
                seed: seed
            )
        }
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

    /// Whether two results are equal, as far as their type can tell.
    private static func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
        func compare<Known: Equatable>(_ one: Known) -> Bool { one == other as? Known }
        guard let one = one as? any Equatable else { return true }
        return compare(one)
    }

    /// A value for a message.
    private static func short<Value>(_ value: Value) -> String { String("\(value)".prefix(200)) }

    /// How a run has ended, without what may differ between equal runs, such as an address in a message.
    private static func end<Value>(of outcome: Result<Value, any Error>) -> String {
        switch outcome {
        case .success: "without an error"
        case .failure(let error as SimulationError): error.code
        case .failure(let error as PropertyViolation):
            "property violated: \(error.kind.rawValue) “\(error.property)”"
        case .failure(let error): "\(type(of: error))"
        }
    }

    func task(numbered id: UInt32) -> TaskReport? {
        var task = unsafe csim_live_tasks(world)
        while let known = unsafe task {
            if unsafe known.pointee.id == id {
                return unsafe TaskReport(known, node: nodes[Int(known.pointee.node)].name)
            }
            unsafe task = known.pointee.next.map { unsafe UnsafePointer($0) }
        }
        return nil
    }

    func describe(_ step: csim_step) -> Divergence.Step {
        Divergence.Step(step, node: nodes[Int(step.node)].name)
    }
}
