public import Simulation
public import Testing

/// Runs each test in a simulation, once for every seed.
///
/// The first seed that fails ends the test; its failure names the seed and the line that runs it again. The
/// environment overrides what the code says: `LENSSIM_SEED=7` runs one seed, `LENSSIM_SEEDS=1...1000` a range, and
/// `LENSSIM_CHECK_DETERMINISM=1` runs every seed twice and compares each step.
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The seeds to run.
    public let seeds: ClosedRange<UInt64>
    /// What every simulation is given.
    public let configuration: Simulation.Configuration
    /// Whether a recipe decides the run, which is for its own seed alone.
    let followsRecipe: Bool

    init(seeds: ClosedRange<UInt64>, configuration: Simulation.Configuration, followsRecipe: Bool = false) {
        self.seeds = seeds
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
        let plan = try SeedPlan(seeds: seeds, isFixed: followsRecipe, environment: .process)
        for seed in plan.seeds {
            let failures = FailureCount()
            let position = SeedReport(seed: seed, isFixed: followsRecipe, test: test)
            let annotating = IssueHandlingTrait.compactMapIssues { issue in
                failures.note(issue)
                return position.annotate(issue)
            }
            try await annotating.provideScope(for: test, testCase: testCase) {
                do {
                    try runSimulated(seed: seed, checkingDeterminism: plan.checksDeterminism, function)
                } catch {
                    failures.noteThrown()
                    throw SeedFailure(seed: seed, underlying: error, again: position.again)
                }
            }
            if failures.any { return }
        }
    }

    private func runSimulated(
        seed: UInt64,
        checkingDeterminism: Bool,
        _ function: @concurrent @Sendable () async throws -> Void
    ) throws {
        try withoutActuallyEscaping(function) { body in
            // A body that is stuck stays suspended for ever, and holds this closure; nobody will ever run it again.
            let references = ClosureReferences(body)
            defer { references.dropLeaked() }
            let body: @Sendable () async throws -> Void = { try await body() }
            let whole = followsRecipe ? Simulation.acceptingCancellation(body) : body
            if checkingDeterminism {
                try Simulation.checkDeterminism(seed: seed, configuration: configuration, whole)
            } else {
                try Simulation(seed: seed, configuration: configuration).run(whole)
            }
        }
    }
}

// MARK: -

extension Trait where Self == SimulatedTrait {
    /// Runs each test in a simulation, once for every seed.
    ///
    /// - Parameters:
    ///   - seeds: Which seeds, none negative; each gives another order of events.
    ///   - configuration: What every simulation is given.
    public static func simulated(
        seeds: ClosedRange<Int>,
        configuration: Simulation.Configuration = .init()
    ) -> Self {
        precondition(seeds.lowerBound >= 0, "a seed is not negative")
        return SimulatedTrait(
            seeds: UInt64(seeds.lowerBound)...UInt64(seeds.upperBound),
            configuration: configuration
        )
    }

    /// Runs each test in one simulation.
    public static func simulated(seed: UInt64 = 1, configuration: Simulation.Configuration = .init()) -> Self
    {
        SimulatedTrait(seeds: seed...seed, configuration: configuration)
    }
}
