import Exploration
public import Simulation
public import XCTest

/// A test case of XCTest whose tests may run in a simulation, once for every seed.
///
/// ```swift
/// final class AccountTests: SimulatedTestCase {
///     func testNoDepositIsLost() throws {
///         try simulated {
///             let account = Account()
///             async let first: Void = account.deposit(1)
///             async let second: Void = account.deposit(1)
///             _ = await (first, second)
///             let balance = await account.balance
///             XCTAssertEqual(balance, 2)
///         }
///     }
/// }
/// ```
///
/// The method is not `async`: on Linux, XCTest blocks the thread on which an asynchronous test begins until it has ended, so
/// that only what is inside of `simulated` can be simulated. The variables of the environment that ``SimulatedTrait`` lists
/// work here too. A failed assertion in the body is a failure of its run, as a thrown error is; the test fails once, with the
/// seed, the small run, the page and the line that reproduces it. `XCTSkip` belongs before `simulated`, where it skips the test.
///
/// XCTest knows no warnings: a `sometimes` that was never reached is not reported.
open class SimulatedTestCase: XCTestCase {
    private let issues = RunIssues()
    private let isSimulating = Flag()
    /// Whether the runs are made in this process, for what they leave there.
    package var isInProcess = false

    /// Runs the body in a simulation, once for each of a thousand seeds, or of as many as there is time for in one second.
    ///
    /// - Parameters:
    ///   - strategy: How each seed chooses steps.
    ///   - configuration: What every simulation is given, but for how steps are chosen. If its stalls were set, they stay as
    ///     they are; otherwise the thread pool may be late in about half of the seeds.
    ///   - file: Where failures are reported.
    ///   - line: Where failures are reported.
    ///   - body: What is simulated; called in several processes, and again and again in each.
    /// - Throws: `InvalidVariable` where the environment says what cannot be understood, and
    ///   `SimulationError.nested` inside of a simulation. Failures of runs are recorded, not thrown.
    public final func simulated(
        strategy: Strategy = .portfolio,
        configuration: Simulation.Configuration = .init(),
        file: StaticString = #filePath,
        line: UInt = #line,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws {
        let place = Place(file: "\(file)", line: Int(line))
        try run(1...1000, limit: .seconds(1), strategy, nil, configuration, at: place, body)
    }

    /// Runs the body in a simulation, once for every seed.
    ///
    /// - Parameters:
    ///   - seeds: Which seeds, none negative; each gives another order of events.
    ///   - strategy: How each seed chooses steps.
    ///   - configuration: What every simulation is given, but for how steps are chosen. If its stalls were set, they stay as
    ///     they are; otherwise the thread pool may be late in about half of the seeds.
    ///   - file: Where failures are reported.
    ///   - line: Where failures are reported.
    ///   - body: What is simulated; called in several processes, and again and again in each.
    /// - Throws: As for a thousand seeds.
    public final func simulated(
        seeds: ClosedRange<Int>,
        strategy: Strategy = .portfolio,
        configuration: Simulation.Configuration = .init(),
        file: StaticString = #filePath,
        line: UInt = #line,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws {
        precondition(seeds.lowerBound >= 0, "a seed is not negative")
        let seeds = UInt64(seeds.lowerBound)...UInt64(seeds.upperBound)
        let place = Place(file: "\(file)", line: Int(line))
        try run(seeds, limit: nil, strategy, nil, configuration, at: place, body)
    }

    /// Runs the body in one simulation, as the recipe of an earlier failure says.
    ///
    /// Where the recipe does not fit the body any more, as after a repair, and the run passes, the seeds of
    /// ``simulated(strategy:configuration:file:line:_:)`` run in its place; a line on standard error says so.
    ///
    /// - Parameters:
    ///   - recipe: The recipe, as a failure prints it, such as `seed=7 decisions=3:1,9:2`.
    ///   - configuration: What the simulation is given beside what the recipe decides.
    ///   - file: Where failures are reported.
    ///   - line: Where failures are reported.
    ///   - body: What is simulated.
    /// - Throws: As ``simulated(seeds:strategy:configuration:file:line:_:)``.
    /// - Precondition: The text is a recipe.
    public final func replayed(
        _ recipe: String,
        configuration: Simulation.Configuration = .init(),
        file: StaticString = #filePath,
        line: UInt = #line,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws {
        guard let recipe = Recipe(recipe) else { preconditionFailure("this is not a recipe: \(recipe)") }
        let place = Place(file: "\(file)", line: Int(line))
        try run(
            recipe.seed...recipe.seed,
            limit: nil,
            recipe.strategy,
            recipe,
            configuration,
            at: place,
            body
        )
    }

    /// What XCTest calls for each failed assertion: that of a simulation is a failure of its run.
    open override func recordFailure(
        withDescription description: String,
        inFile filePath: String,
        atLine lineNumber: Int,
        expected: Bool
    ) {
        guard isSimulating.isSet else {
            super.recordFailure(
                withDescription: description,
                inFile: filePath,
                atLine: lineNumber,
                expected: expected
            )
            return
        }
        // What is left of a run unwinds after its end, and says nothing about the test.
        if Simulation.current?.isOver == true { return }
        let file = filePath.split(separator: "/").last ?? "an unknown place"
        let place = "\(file):\(lineNumber)"
        issues.note(FailedExpectation(place: place, description: "\(description)\n  at \(place)"))
    }

    // MARK: Running

    /// Where a test calls `simulated`.
    private struct Place {
        var file: String
        var line: Int
    }

    /// The test as a filter names it.
    private var filterName: String {
        // On Linux a test's name is `Class.method`.
        let method = name.split(separator: ".").last ?? ""
        return "\(String(reflecting: type(of: self)))/\(method)"
    }

    private func run(
        _ seeds: ClosedRange<UInt64>,
        limit: Duration?,
        _ strategy: Strategy,
        _ recipe: Recipe?,
        _ configuration: Simulation.Configuration,
        at place: Place,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws {
        guard Simulation.current == nil else { throw SimulationError.nested }
        var plan = try SeedPlan(
            seeds: seeds,
            limit: limit,
            strategy: strategy,
            stalls: configuration.setStalls ?? .drawn,
            timing: configuration.setTiming,
            isFixed: recipe != nil,
            environment: .process
        )
        if let recipe { plan.recipe = recipe }
        var configuration = configuration
        configuration.stalls = plan.stalls
        configuration.unwindsCrashedNodes = true
        let program = Program(test: filterName, configuration, issues, body)
        // These need threads that a fork does not have.
        let isForkless = configuration.pace == .real || !configuration.allowedEscapes.isEmpty
        if isInProcess || plan.isInProcess {
            isSimulating.set()
            let outcome = Result { try self.outcome(program, plan, isFixed: recipe != nil, .none) }
            isSimulating.clear()
            report(try outcome.get(), at: place)
        } else if TestProcess.isCurrent {
            isSimulating.set()
            var outcome = TestOutcome(result: SweepResult(program: program.name, strategy: .portfolio))
            do {
                outcome = try self.outcome(
                    program,
                    plan,
                    isFixed: recipe != nil,
                    isForkless ? .none : .worker
                )
            } catch { outcome.problem = "\(error)" }
            TestProcess.end(with: outcome)
        } else {
            try searchElsewhere(program, plan, at: place)
        }
    }

    private func report(_ outcome: TestOutcome, at place: Place) {
        // XCTest knows no warnings.
        if let misfit = outcome.misfit { printOutput("LensSim: \(filterName): \(misfit)") }
        let failures = [outcome.problem].compactMap(\.self) + outcome.failures.flatMap(\.issues).map(\.text)
        for failure in failures {
            recordFailure(withDescription: failure, inFile: place.file, atLine: place.line, expected: true)
        }
    }

    /// Lets another process search, and records what it has found.
    private func searchElsewhere(_ program: Program, _ plan: SeedPlan, at place: Place) throws {
        let start = ContinuousClock.now
        let file = try plan.results.map { try ResultFolder(path: $0).begin(program.name) }
        WholeProgram.begin(program.name)
        let outcome = try Cores.process.with(upTo: plan.jobs ?? .max) { free in
            let request = TestProcess.Request(
                arguments: [program.name],
                testCase: "\(place.line)",
                jobs: plan.jobs ?? free
            )
            return try TestProcess.outcome(of: request, Cancellation())
        }
        WholeProgram.end(outcome.verdict(on: program.name))
        report(outcome, at: place)
        // XCTest knows no warnings.
        if let statics = outcome.result.statics, statics.failure != nil {
            printOutput("LensSim: \(program.name): \(statics)")
        }
        try file?.end(outcome.result)
        if outcome.failures.isEmpty, plan.reportsSuccess {
            outcome.result.reportSuccess(of: program.name, after: start)
        }
    }

    /// What a search has found, each failure as it is reported.
    private func search(
        _ program: Program,
        _ plan: SeedPlan,
        _ isolation: Sweep.Isolation
    ) throws -> (result: SweepResult, failures: [String]) {
        let search = TestSearch(
            program: program,
            plan: plan,
            strategy: plan.strategy ?? .portfolio,
            isolation: isolation,
            jobs: nil,
            isStopped: { false }
        )
        let outcome = try search.run()
        let failures = outcome.failures.map { found in
            let report = SeedReport(of: found, in: plan, test: program.name, isMethod: true)
            return "\(found.run.failure)\(report.lines)"
        }
        return (outcome.result, failures)
    }

    /// What the runs that a plan wants have come to.
    private func outcome(
        _ program: Program,
        _ plan: SeedPlan,
        isFixed: Bool,
        _ isolation: Sweep.Isolation
    ) throws -> TestOutcome {
        var outcome = TestOutcome(result: SweepResult(program: program.name, strategy: .portfolio))
        if plan.isSearch {
            let (result, failures) = try search(program, plan, isolation)
            outcome.result = result
            outcome.failures = failures.map { TestOutcome.Finding(issues: [RelayedIssue($0)]) }
            return outcome
        }
        let first = { self.firstFailure(of: program, plan, isFixed: isFixed) }
        let issues =
            isolation == .none
            ? [first()].compactMap(\.self) : try RecordedProcess(IssueRelay(), first).issues
        if let misfit = issues.first, misfit.kind == .misfit {
            let usual = try SeedPlan.usual(stalls: plan.stalls, timing: plan.timing, plan: plan.recipe?.plan)
            outcome = try self.outcome(program, usual, isFixed: false, isolation)
            outcome.misfit = misfit.text
        } else if !issues.isEmpty {
            outcome.failures = [TestOutcome.Finding(issues: issues)]
        }
        return outcome
    }

    /// The first failure of runs that are only looked at, as it is reported.
    private func firstFailure(of program: Program, _ plan: SeedPlan, isFixed: Bool) -> RelayedIssue? {
        var horizon = 0
        guard let part = plan.part else { return nil }
        for seed in part {
            guard let recipe = plan.recipe(seed: seed, horizon: horizon) else { return nil }
            let run = program.run(recipe)
            horizon = max(horizon, run.report?.longestTask ?? 0)
            var failure = run.failure
            if failure == nil, plan.checksDeterminism { failure = program.divergence(recipe) }
            if failure == nil, plan.recipe != nil, let mismatches = run.report?.mismatches,
                !mismatches.isEmpty
            {
                let mismatch = RecipeMismatch(mismatches: mismatches)
                if isFixed { return RelayedIssue(mismatch.remark, kind: .misfit) }
                failure = Failure(mismatch)
            }
            if let failure {
                let report = SeedReport(seed: seed, recipe, of: plan, isFixed: isFixed, test: program.name)
                return RelayedIssue("\(failure)\(report.lines)")
            }
        }
        return nil
    }
}
