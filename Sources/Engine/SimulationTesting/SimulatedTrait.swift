import Exploration
public import Simulation
import Synchronization
public import Testing

/// Runs each test in a simulation, once for every seed, several at a time.
///
/// The seeds of a test run in worker processes, which begin with static variables as they are in a fresh program: this
/// program is started again for the test alone, and forks them. Within a worker seeds run one after the other. Whatever a run
/// does to its process, by a crash, an exit or a hang, is one failure of its test, and all others run. Traits around
/// this one are applied in both processes.
///
/// The first seed that fails ends the test. The run is made as small as it gets, within seconds; its failure names the seed,
/// the virtual time, the step, the two lines whose order matters, a page with all that happened, and the line that
/// reproduces it. The environment overrides what the code says:
///
/// - `LENSSIM_ALL=1` runs every asynchronous test of the program simulated, up to 100 seeds or two seconds for each that has no
///   trait, also methods of XCTest, and ends with a table of what came of each.
/// - `LENSSIM_SEED=7` runs one seed, `LENSSIM_SEEDS=1...1000` a range.
/// - `LENSSIM_FOR=10m` runs seeds for that long, each test, and says how many there were.
/// - `LENSSIM_JOBS=1` runs so many seeds of a test at once, instead of one for each core that no other test uses.
/// - `LENSSIM_KEEP_GOING=1` goes on after a failure, and reports one of each kind.
/// - `LENSSIM_ISOLATE=1` gives each seed a process of its own.
/// - `LENSSIM_IN_PROCESS=1` runs the seeds in the process of the test, one after the other, for a debugger or a profiler.
/// - `LENSSIM_PLAN=swarm` gives each run a plan of faults, drawn or from a file, where its world reads one.
/// - `LENSSIM_SHARD=2/4` runs one part of the seeds; `LENSSIM_RESULTS=folder` writes what each test has found there, as
///   `lenssim merge` reads it.
/// - `LENSSIM_STRATEGY=pct` chooses steps in another way.
/// - `LENSSIM_RECIPE='seed=7 strategy=portfolio'` runs what the recipe says.
/// - `LENSSIM_CHECK_DETERMINISM=1` runs every seed twice and compares each step.
/// - `LENSSIM_SHRINK=0` reports a failure as it was found, without making it smaller; `LENSSIM_SHRINK=60s` takes more than
///   two seconds for that, also where a recipe or a seed is given.
/// - `LENSSIM_MEMORY=8000` lets a run have so many MiB of memory.
/// - `LENSSIM_STEP_TIMEOUT=60` lets a step take that many seconds of real time.
/// - `LENSSIM_DISPATCH=simulated` has Dispatch's queues, groups, timers and sources run in the simulation.
/// - `LENSSIM_THREADS=simulated` has threads run in it, and Dispatch with them.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The seeds to run.
    public let seeds: ClosedRange<UInt64>
    /// How each seed chooses steps; `nil` where the configuration says it.
    public let strategy: Strategy?
    /// Whether the thread pool may be late.
    public let stalls: Simulation.Configuration.Stalls
    /// What every simulation is given.
    public let configuration: Simulation.Configuration
    /// Whether a recipe decides the run, which is for its own seed alone.
    let followsRecipe: Bool
    /// Real time after which no new seed is begun; `nil` for no limit.
    public let limit: Duration?
    /// How many seeds run at once; `nil` for as many as the environment or the cores allow.
    package var jobs: Int?
    /// Whether the runs are made in this process, for what they leave there.
    package var isInProcess = false
    /// Whether a failing run is made smaller before it is reported.
    package var shrinks = true
    /// Whether the test was given the trait by `LENSSIM_ALL`, and not by its source.
    var isImplied = false
    /// Tells this trait from another that says the same.
    private let identity = Identity()

    init(
        seeds: ClosedRange<UInt64>,
        limit: Duration? = nil,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls = .drawn,
        configuration: Simulation.Configuration,
        followsRecipe: Bool = false
    ) {
        self.seeds = seeds
        self.limit = limit
        self.strategy = strategy
        self.stalls = stalls
        self.configuration = configuration
        self.followsRecipe = followsRecipe
    }

    /// On a suite, the trait applies to each test in it.
    public var isRecursive: Bool { true }

    /// The trait itself, also for suites, whose tests together say what was never reached, and for tests with arguments.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { self }

    /// Runs the test's body once for every seed.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if testCase == nil { return try await SuiteChecks.collecting(function) }
        // A test's own trait overrides those of its suites, and any in the source one that is implied.
        let all = test.traits.compactMap { $0 as? SimulatedTrait }
        if let own = all.last(where: { !$0.isImplied }) ?? all.last, own.identity !== identity,
            all.contains(where: { $0.identity === identity })
        {
            return try await function()
        }
        guard Simulation.current == nil else { throw SimulationError.nested }
        let plan = try plan(.process)
        if isInProcess || plan.isInProcess {
            if plan.isSearch, let strategy = plan.strategy {
                try await search(strategy, plan, test, testCase, function)
            } else {
                try await runEach(plan, test, testCase, function)
            }
        } else if TestProcess.isCurrent || TestNursery.isCurrent {
            try await searchAndExit(plan, test, testCase, function)
        } else {
            try await searchElsewhere(plan, test, testCase)
        }
    }

    /// The runs that the trait and the environment say.
    func plan(_ environment: SeedPlan.Environment) throws(InvalidVariable) -> SeedPlan {
        var plan = try SeedPlan(
            seeds: seeds,
            limit: limit,
            strategy: strategy,
            stalls: stalls,
            timing: configuration.setTiming,
            isFixed: followsRecipe,
            environment: environment
        )
        plan.shrinks = plan.shrinks && shrinks
        return plan
    }

    // MARK: Searching

    func search(
        _ strategy: Strategy,
        _ plan: SeedPlan,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let name = TestFilter.name(of: "\(test.id)")
        let start = ContinuousClock.now
        let search = try plan.results.map { try ResultFolder(path: $0).begin(name) }
        let outcome = try await outcome(strategy, plan, name, test, testCase, function)
        SuiteChecks.note(outcome.result)
        guard let first = outcome.failures.first else {
            try search?.end(outcome.result)
            if plan.reportsSuccess { outcome.result.reportSuccess(of: name, after: start) }
            return
        }
        // Also where the first one throws.
        defer {
            for other in outcome.failures.dropFirst() {
                let report = SeedReport(of: other, in: plan, test: name)
                Issue.record("\(other.run.failure)\(report.lines)", sourceLocation: test.sourceLocation)
            }
            do { try search?.end(outcome.result) } catch {
                Issue.record(error, "the result of the search could not be written")
            }
        }
        try await record(first, plan, test, testCase, function)
    }

    /// Runs the seeds without recording their failures.
    private func outcome(
        _ strategy: Strategy,
        _ plan: SeedPlan,
        _ name: String,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws -> TestSearch.Outcome {
        let issues = RunIssues()
        let quiet = IssueHandlingTrait.compactMapIssues { issue in
            // What is left of a run unwinds after its end, and says nothing about the test.
            if Simulation.current?.isOver == true { return nil }
            guard issue.isFailure else { return issues.isNew(issue) ? issue : nil }
            issues.note(FailedExpectation(issue))
            return nil
        }
        let isCancelled = Flag()
        let outcome = Mutex<Result<TestSearch.Outcome, any Error>?>(nil)
        try await withTaskCancellationHandler {
            try await quiet.provideScope(for: test, testCase: testCase) {
                TestBody.with(function) { (body) -> Void in
                    let search = TestSearch(
                        program: Program(test: name, base(of: plan), issues) { try await body() },
                        plan: plan,
                        strategy: strategy,
                        isolation: .none,
                        jobs: 1,
                        isStopped: { isCancelled.isSet }
                    )
                    let found = Result { try search.run() }
                    outcome.withLock { $0 = found }
                }
            }
        } onCancel: {
            isCancelled.set()
        }
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("a search ended without a result")
        }
        return try result.get()
    }

    /// Repeats a failing run, so that Swift Testing sees its issues themselves.
    private func record(
        _ found: TestSearch.Found,
        _ plan: SeedPlan,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let report = SeedReport(of: found, in: plan, test: TestFilter.name(of: "\(test.id)"))
        // What ends the process is not repeated.
        if found.run.failure.endsProcess {
            Issue.record("\(found.run.failure)\(report.lines)", sourceLocation: test.sourceLocation)
            return
        }
        let recipe = found.explanation?.recipe ?? found.run.recipe
        let run = try await record(recipe, report, plan, test, testCase, function)
        if !run.hasFailed {
            Issue.record(
                Comment(rawValue: report.unrepeated(found.run.failure)),
                sourceLocation: test.sourceLocation
            )
        }
    }

    // MARK: Running

    /// Runs each seed, and records its issues, up to the first that fails.
    func runEach(
        _ plan: SeedPlan,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let start = ContinuousClock.now
        var horizon = 0
        guard let part = plan.part else { return }
        for seed in part {
            if let limit = plan.limit, seed > plan.seeds.lowerBound, ContinuousClock.now - start >= limit {
                return
            }
            if Task.isCancelled { return }
            let recipe = plan.recipe(seed: seed, horizon: horizon)
            let report = SeedReport(
                seed: seed,
                recipe,
                of: plan,
                isFixed: followsRecipe,
                test: TestFilter.name(of: "\(test.id)")
            )
            let run = try await record(recipe, report, plan, test, testCase, function)
            if run.hasFailed { return }
            if let misfit = run.misfit { return try await runUsualSeeds(misfit, test, testCase, function) }
            horizon = max(horizon, run.longestTask)
        }
    }

    /// Runs one seed, and records its issues.
    private func record(
        _ recipe: Recipe?,
        _ report: SeedReport,
        _ plan: SeedPlan,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws -> RecordedRun {
        let run = RecordedRun()
        let annotating = IssueHandlingTrait.compactMapIssues { issue in
            if Simulation.current?.isOver == true { return nil }
            run.note(issue)
            return report.annotate(issue)
        }
        try await annotating.provideScope(for: test, testCase: testCase) {
            let position = ThrowingPosition()
            do {
                try withNamedRun(
                    "the test \(report.test)",
                    seed: report.seed,
                    reproduction: report.reproduction
                ) { try runSimulated(seed: report.seed, recipe, of: plan, position, run, function) }
            } catch let misfit as RecipeMismatch where followsRecipe {
                run.misfit = misfit
            } catch {
                run.noteThrown()
                throw SeedFailure(underlying: error, report: report, position: position.value)
            }
        }
        return run
    }

    /// What every run is given beside what its recipe decides.
    func base(of plan: SeedPlan) -> Simulation.Configuration {
        var configuration = configuration
        configuration.stalls = plan.stalls
        configuration.unwindsCrashedNodes = true
        return configuration
    }

    private func runSimulated(
        seed: UInt64,
        _ recipe: Recipe?,
        of plan: SeedPlan,
        _ position: ThrowingPosition,
        _ run: RecordedRun,
        _ function: @concurrent @Sendable () async throws -> Void
    ) throws {
        try TestBody.with(function) { body in
            try simulate(seed: seed, recipe, of: plan, position, run) { try await body() }
        }
    }

    /// Runs one seed; what it records goes where the issues of the calling task go.
    func simulate(
        seed: UInt64,
        _ recipe: Recipe?,
        of plan: SeedPlan,
        _ position: ThrowingPosition,
        _ run: RecordedRun,
        _ test: @escaping @Sendable () async throws -> Void
    ) throws {
        let base = base(of: plan)
        let configuration = recipe?.applied(to: base) ?? base
        // Who was cancelled by the recipe may say so.
        let mayBeCancelled = followsRecipe || recipe != nil && configuration.cancellation != nil
        let body = position.noting(test)
        let whole = mayBeCancelled ? Simulation.acceptingCancellation(body) : body
        let report =
            if plan.checksDeterminism {
                try Simulation.checkDeterminism(seed: seed, configuration: configuration, whole).report
            } else {
                try Simulation(seed: seed, configuration: configuration).runReporting(whole).report
            }
        run.longestTask = report.longestTask
        let isPinned = followsRecipe || plan.recipe != nil
        if isPinned, !report.mismatches.isEmpty {
            throw RecipeMismatch(mismatches: report.mismatches)
        }
    }
}

// MARK: -

extension Trait where Self == SimulatedTrait {
    /// Runs each test in a simulation, once for each of a thousand seeds, or of as many as there is time for in one second.
    ///
    /// `LENSSIM_SEEDS=1...1000` runs them all, however long it takes.
    public static var simulated: Self { simulated(configuration: .init()) }

    /// Runs each test in a simulation, once for each of a thousand seeds, or of as many as there is time for in one second.
    ///
    /// - Parameters:
    ///   - strategy: How each seed chooses steps, as for a range of seeds.
    ///   - configuration: What every simulation is given. If its stalls were set, they stay as they are.
    public static func simulated(
        strategy: Strategy? = nil,
        configuration: Simulation.Configuration
    ) -> Self {
        SimulatedTrait(
            seeds: SeedPlan.usualSeeds,
            limit: SeedPlan.usualLimit,
            strategy: strategy ?? defaultStrategy(configuration),
            stalls: defaultStalls(configuration),
            configuration: configuration
        )
    }

    /// Runs each test in a simulation, once for every seed; the thread pool may be late, in about half of the seeds.
    ///
    /// - Parameters:
    ///   - seeds: Which seeds, none negative; each gives another order of events.
    ///   - strategy: How each seed chooses steps. By default it is the portfolio, which finds most kinds of bugs soonest;
    ///     a configuration whose schedule was set keeps that.
    ///   - configuration: What every simulation is given. If its stalls were set, they stay as they are.
    public static func simulated(
        seeds: ClosedRange<Int>,
        strategy: Strategy? = nil,
        configuration: Simulation.Configuration = .init()
    ) -> Self {
        simulated(
            seeds: seeds,
            strategy: strategy,
            stalls: defaultStalls(configuration),
            configuration: configuration
        )
    }

    /// Runs each test in a simulation, once for every seed.
    ///
    /// - Parameters:
    ///   - seeds: Which seeds, none negative; each gives another order of events.
    ///   - strategy: How each seed chooses steps. By default it is the portfolio, which finds most kinds of bugs soonest;
    ///     a configuration whose schedule was set keeps that.
    ///   - stalls: Whether the thread pool may be late, in about half of the seeds, so that timers compete with work that is
    ///     ready. With `none`, virtual time passes only while nothing can run, and is exact unless the configuration's timing
    ///     was set.
    ///   - configuration: What every simulation is given.
    public static func simulated(
        seeds: ClosedRange<Int>,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls,
        configuration: Simulation.Configuration = .init()
    ) -> Self {
        precondition(seeds.lowerBound >= 0, "a seed is not negative")
        return SimulatedTrait(
            seeds: UInt64(seeds.lowerBound)...UInt64(seeds.upperBound),
            strategy: strategy ?? defaultStrategy(configuration),
            stalls: stalls,
            configuration: configuration
        )
    }

    /// Runs each test in one simulation; the thread pool may be late, as for many seeds.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that is left to chance.
    ///   - strategy: How the seed chooses steps, as for many seeds.
    ///   - configuration: What the simulation is given. If its stalls were set, they stay as they are.
    public static func simulated(
        seed: UInt64,
        strategy: Strategy? = nil,
        configuration: Simulation.Configuration = .init()
    ) -> Self {
        simulated(
            seed: seed,
            strategy: strategy,
            stalls: defaultStalls(configuration),
            configuration: configuration
        )
    }

    /// Runs each test in one simulation.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that is left to chance.
    ///   - strategy: How the seed chooses steps, as for many seeds.
    ///   - stalls: Whether the thread pool may be late, as for many seeds.
    ///   - configuration: What the simulation is given.
    public static func simulated(
        seed: UInt64,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls,
        configuration: Simulation.Configuration = .init()
    ) -> Self {
        SimulatedTrait(
            seeds: seed...seed,
            strategy: strategy ?? defaultStrategy(configuration),
            stalls: stalls,
            configuration: configuration
        )
    }

    private static func defaultStrategy(_ configuration: Simulation.Configuration) -> Strategy? {
        configuration.setSchedule == nil ? .portfolio : nil
    }

    private static func defaultStalls(
        _ configuration: Simulation.Configuration
    ) -> Simulation.Configuration.Stalls { configuration.setStalls ?? .drawn }
}
