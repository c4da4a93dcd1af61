public import Simulation
import Synchronization
public import Testing

/// Runs each test in a simulation, once for every seed.
///
/// The first seed that fails ends the test. The run is made as small as it gets, within seconds; its failure names the seed,
/// the virtual time, the step, the two lines whose order matters, a page with all that happened, and the line that
/// reproduces it. So does the last message of a test that ends the process, by a crash, an exit or a hang. The
/// environment overrides what the code says:
///
/// - `LENSSIM_SEED=7` runs one seed, `LENSSIM_SEEDS=1...1000` a range.
/// - `LENSSIM_FOR=10m` runs seeds for that long, each test, and says how many there were.
/// - `LENSSIM_STRATEGY=pct` chooses steps in another way.
/// - `LENSSIM_RECIPE='seed=7 strategy=portfolio'` runs what the recipe says.
/// - `LENSSIM_CHECK_DETERMINISM=1` runs every seed twice and compares each step.
/// - `LENSSIM_SHRINK=0` reports a failure as it was found, without making it smaller.
/// - `LENSSIM_STEP_TIMEOUT=60` lets a step take that many seconds of real time.
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
    /// Whether a failing run is made smaller before it is reported.
    package var shrinks = true

    init(
        seeds: ClosedRange<UInt64>,
        strategy: Strategy? = nil,
        stalls: Simulation.Configuration.Stalls = .drawn,
        configuration: Simulation.Configuration,
        followsRecipe: Bool = false
    ) {
        self.seeds = seeds
        self.strategy = strategy
        self.stalls = stalls
        self.configuration = configuration
        self.followsRecipe = followsRecipe
    }

    /// On a suite, the trait applies to each test in it.
    public var isRecursive: Bool { true }

    /// Runs the test's body once for every seed.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let plan = try SeedPlan(
            seeds: seeds,
            strategy: strategy,
            stalls: stalls,
            isFixed: followsRecipe,
            environment: .process
        )
        var horizon = 0
        let search = Search(plan)
        for seed in plan.seeds {
            guard search.goesOn() else { break }
            let failures = FailureCount()
            var recipe = plan.recipe(seed: seed, horizon: horizon)
            var report = SeedReport(seed: seed, recipe, of: plan, isFixed: followsRecipe, test: test)
            var hasFailed = false
            if shrinks, plan.shrinks, let found = recipe {
                let attempt = try await attempt(found, of: plan, report, test, testCase, function)
                guard attempt.fails else {
                    horizon = max(horizon, attempt.longestTask)
                    continue
                }
                hasFailed = true
                if let explanation = attempt.explanation {
                    recipe = explanation.recipe
                    report = SeedReport(seed: seed, recipe, of: plan, test: test)
                    report.explanation = explanation
                }
            }
            let (decided, named) = (recipe, report)
            let annotating = IssueHandlingTrait.compactMapIssues { issue in
                // What is left of a run unwinds after its end, which is nobody's business.
                if Simulation.current?.isOver == true { return nil }
                failures.note(issue)
                return named.annotate(issue)
            }
            let longest = LongestTask()
            try await annotating.provideScope(for: test, testCase: testCase) {
                let position = ThrowingPosition()
                do {
                    try withNamedRun(
                        "the test \(named.test)",
                        seed: seed,
                        reproduction: named.reproduction
                    ) { try runSimulated(seed: seed, decided, of: plan, position, longest, function) }
                } catch {
                    failures.noteThrown()
                    throw SeedFailure(underlying: error, report: named, position: position.value)
                }
            }
            if hasFailed, !failures.any {
                Issue.record(
                    "seed \(seed) failed, and did not when it was run again: something differs between runs\n  reproduce: \(named.reproduction)"
                )
                return
            }
            if failures.any { return }
            horizon = max(horizon, longest.value)
        }
        search.reportSuccess(of: TestFilter.name(of: "\(test.id)"))
    }

    /// Runs the test without recording its failures, and makes a failing run small.
    private func attempt(
        _ recipe: Recipe,
        of plan: SeedPlan,
        _ report: SeedReport,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws -> Attempt {
        let captured = CapturedIssues()
        let quiet = IssueHandlingTrait.compactMapIssues { issue in
            if Simulation.current?.isOver == true { return nil }
            guard issue.isFailure else { return issue }
            captured.note(issue)
            return nil
        }
        let outcome = Mutex(Attempt())
        try await quiet.provideScope(for: test, testCase: testCase) {
            withoutActuallyEscaping(function) { body in
                let references = ClosureReferences(body)
                defer { references.dropLeaked() }
                let attempt = Attempt(recipe, base(of: plan), report, captured) { try await body() }
                outcome.withLock { $0 = attempt }
            }
        }
        return outcome.withLock { $0 }
    }

    /// What every run is given beside what its recipe decides.
    private func base(of plan: SeedPlan) -> Simulation.Configuration {
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
        _ longest: LongestTask,
        _ function: @concurrent @Sendable () async throws -> Void
    ) throws {
        let base = base(of: plan)
        let configuration = recipe?.applied(to: base) ?? base
        // Who was cancelled by the recipe may say so.
        let mayBeCancelled = followsRecipe || recipe != nil && configuration.cancellation != nil
        try withoutActuallyEscaping(function) { body in
            // A body that is stuck stays suspended forever, and holds this closure; nobody will ever run it again.
            let references = ClosureReferences(body)
            defer { references.dropLeaked() }
            let body = position.noting { try await body() }
            let whole = mayBeCancelled ? Simulation.acceptingCancellation(body) : body
            let report =
                if plan.checksDeterminism {
                    try Simulation.checkDeterminism(seed: seed, configuration: configuration, whole).report
                } else {
                    try Simulation(seed: seed, configuration: configuration).runReporting(whole).report
                }
            longest.value = report.longestTask
            let isPinned = followsRecipe || plan.recipe != nil
            if isPinned, !report.mismatches.isEmpty {
                throw RecipeMismatch(mismatches: report.mismatches)
            }
        }
    }
}

// MARK: -

extension Trait where Self == SimulatedTrait {
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
    ///     ready. With `none`, virtual time passes only while nothing can run, and is exact.
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
        seed: UInt64 = 1,
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
        seed: UInt64 = 1,
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
