import Simulation
public import Testing

extension Trait where Self == SimulatedTrait {
    /// Runs each test in one simulation, decided by a recipe as `lenssim shrink` prints it.
    ///
    /// The rules are those of the search that has found it: what is left behind is a failure, and a body may say that it was
    /// cancelled if a task was. The seed is the recipe's, whatever the environment says.
    ///
    /// Where the recipe does not fit the program any more, as after a repair, and the run passes, the test runs the seeds of
    /// ``simulated`` in its place, records that as a warning, and fails where one of these fails.
    ///
    /// - Parameter recipe: Such as `seed=7 decisions=3:1,9:2 faults=loss+phone+gemini:4`.
    /// - Precondition: The text is a recipe.
    public static func replaying(_ recipe: String) -> Self {
        guard let recipe = Recipe(recipe) else { preconditionFailure("this is not a recipe: \(recipe)") }
        return SimulatedTrait(
            seeds: recipe.seed...recipe.seed,
            stalls: recipe.stalls ? .drawn : .none,
            configuration: recipe.configuration,
            followsRecipe: true
        )
    }
}

// What runs in place of a recipe that does not fit.
extension SimulatedTrait {
    /// The trait that a test without a recipe has, under the rules of this one.
    var usual: SimulatedTrait {
        // Nothing of the order, faults and work that the recipe wants.
        let rules = Recipe(seed: seeds.lowerBound, plan: configuration.plan, timing: configuration.setTiming)
            .configuration
        var usual = SimulatedTrait(
            seeds: SeedPlan.usualSeeds,
            limit: SeedPlan.usualLimit,
            strategy: .portfolio,
            stalls: stalls,
            configuration: rules
        )
        usual.jobs = jobs
        usual.isInProcess = isInProcess
        usual.shrinks = shrinks
        return usual
    }

    /// What that trait runs.
    func usualPlan() throws(InvalidVariable) -> SeedPlan {
        var plan = try SeedPlan.usual(
            stalls: stalls,
            timing: configuration.setTiming,
            plan: configuration.plan
        )
        plan.shrinks = plan.shrinks && shrinks
        return plan
    }

    /// Runs that in this process, and says why.
    func runUsualSeeds(
        _ misfit: RecipeMismatch,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        Issue.record(
            Comment(rawValue: misfit.remark),
            severity: .warning,
            sourceLocation: test.sourceLocation
        )
        let plan = try usualPlan()
        if plan.isSearch, let strategy = plan.strategy {
            try await usual.search(strategy, plan, test, testCase, function)
        } else {
            try await usual.runEach(plan, test, testCase, function)
        }
    }
}
