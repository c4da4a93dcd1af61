public import Simulation
public import Testing

/// Runs each test in a simulation, once for every seed.
///
/// The first seed that fails ends the test; its failure names the seed, the virtual time, the step and the line that
/// reproduces it. So does the last message of a test that ends the process, by a crash, an exit or a hang. The
/// environment overrides what the code says:
///
/// - `LENSSIM_SEED=7` runs one seed, `LENSSIM_SEEDS=1...1000` a range.
/// - `LENSSIM_STRATEGY=pct` chooses steps in another way.
/// - `LENSSIM_RECIPE='seed=7 strategy=portfolio'` runs what the recipe says.
/// - `LENSSIM_CHECK_DETERMINISM=1` runs every seed twice and compares each step.
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
        for seed in plan.seeds {
            let failures = FailureCount()
            let recipe = plan.recipe(seed: seed, horizon: horizon)
            let report = SeedReport(seed: seed, recipe, of: plan, isFixed: followsRecipe, test: test)
            let annotating = IssueHandlingTrait.compactMapIssues { issue in
                // What is left of a run unwinds after its end, which is nobody's business.
                if Simulation.current?.isOver == true { return nil }
                failures.note(issue)
                return report.annotate(issue)
            }
            let longest = LongestTask()
            try await annotating.provideScope(for: test, testCase: testCase) {
                let position = ThrowingPosition()
                do {
                    try withNamedRun(
                        "the test \(report.test)",
                        seed: seed,
                        reproduction: report.reproduction
                    ) { try runSimulated(seed: seed, recipe, of: plan, position, longest, function) }
                } catch {
                    failures.noteThrown()
                    throw SeedFailure(underlying: error, report: report, position: position.value)
                }
            }
            if failures.any { return }
            horizon = max(horizon, longest.value)
        }
    }

    private func runSimulated(
        seed: UInt64,
        _ recipe: Recipe?,
        of plan: SeedPlan,
        _ position: ThrowingPosition,
        _ longest: LongestTask,
        _ function: @concurrent @Sendable () async throws -> Void
    ) throws {
        var configuration = configuration
        configuration.stalls = plan.stalls
        configuration = recipe?.applied(to: configuration) ?? configuration
        configuration.unwindsCrashedNodes = true
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
