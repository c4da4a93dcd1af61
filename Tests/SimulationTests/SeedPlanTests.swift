import Exploration
import Simulation
import SimulationTesting
import Testing

@Suite("Variables of the environment")
struct SeedPlanTests {
    private func plan(
        _ variables: [String: String],
        strategy: Strategy? = .portfolio,
        isFixed: Bool = false
    ) throws -> SeedPlan {
        try SeedPlan(
            seeds: 1...3,
            strategy: strategy,
            isFixed: isFixed,
            environment: .init(variables: variables)
        )
    }

    @Test func `without any the test decides`() throws {
        let plan = try plan(["LENSSIM_SEED": "", "HOME": "/"])
        #expect(plan.seeds == 1...3)
        #expect(plan.recipe(seed: 2) == Recipe(seed: 2, strategy: .portfolio))
        #expect(try self.plan([:], strategy: nil).recipe(seed: 2) == nil)
        #expect(!plan.checksDeterminism)
    }

    @Test func `seeds and the strategy are set alone or together`() throws {
        let seed = try plan(["LENSSIM_SEED": "9"])
        #expect(seed.seeds == 9...9)
        #expect(seed.recipe(seed: 9) == Recipe(seed: 9, strategy: .portfolio))
        let both = try plan(["LENSSIM_SEEDS": "4...6", "LENSSIM_STRATEGY": "pct"], strategy: nil)
        #expect(both.seeds == 4...6)
        #expect(both.recipe(seed: 5) == Recipe(seed: 5, strategy: .pct))
        #expect(try plan(["LENSSIM_CHECK_DETERMINISM": "1"]).checksDeterminism)
    }

    @Test(arguments: [("90s", 90), ("1.5s", 1.5), ("2m", 120), ("1h", 3600), ("7", 7)])
    func `a length of time lets seeds follow the first one until it is over`(
        _ text: String,
        _ seconds: Double
    ) throws {
        let plan = try plan(["LENSSIM_FOR": text])
        #expect(plan.limit == .seconds(seconds))
        #expect(plan.seeds == 1...UInt64.max)
        // Within a range, and not where one run was asked for.
        let range = try self.plan(["LENSSIM_FOR": text, "LENSSIM_SEEDS": "4...6"])
        #expect(range.limit == .seconds(seconds))
        #expect(range.seeds == 4...6)
        for single in ["LENSSIM_SEED": "5", "LENSSIM_RECIPE": "seed=5"] {
            let plan = try self.plan(["LENSSIM_FOR": text, single.key: single.value])
            #expect(plan.limit == nil)
            #expect(plan.seeds == 5...5)
        }
    }

    @Test func `a recipe decides the run, whatever else is set`() throws {
        let text = "seed=12 strategy=sticky faults=spark:3 cancel=2:1"
        let variables = ["LENSSIM_RECIPE": text, "LENSSIM_SEED": "5", "LENSSIM_STRATEGY": "fifo"]
        let plan = try plan(variables)
        #expect(plan.seeds == 12...12)
        #expect(plan.recipe(seed: 12).map { "\($0)" } == text)
        // A test that has a recipe of its own is about that one.
        let fixed = try self.plan(variables, strategy: nil, isFixed: true)
        #expect(fixed.seeds == 1...3)
        #expect(fixed.recipe(seed: 1) == nil)
    }

    @Test(arguments: [
        ("M.Suite/plain()/File.swift:1:2", "M.Suite/plain", "'M.Suite/plain'"),
        ("M.Suite/takes(one:other:)/File.swift:1:2", "M.Suite/takes", "'M.Suite/takes'"),
        ("M.`a/b`()/File.swift:1:2", "M.`a/b`", "'M.`a/b`'"),
        (
            "M.`doesn't (yet) cost 5$?`(a:)/F.swift:1:2", "M.`doesn't (yet) cost 5$?`",
            #"'M.`doesn'\''t \(yet\) cost 5\$\?`'"#
        ),
    ])
    func `a test is named as the filter and a shell read it`(
        _ identifier: String,
        _ name: String,
        _ argument: String
    ) {
        #expect(TestFilter.name(of: identifier) == name)
        #expect(TestFilter.argument(for: name) == argument)
    }

    @Test(arguments: [
        ("LENSSIM_SEED", "foo", "a number like 7"),
        ("LENSSIM_SEEDS", "9...1", "a range like 1...1000"),
        ("LENSSIM_FOR", "ten minutes", "90s, 10m or 2h"),
        ("LENSSIM_STRATEGY", "best", "one of fifo, runUntilBlocked, random, pct"),
        ("LENSSIM_RECIPE", "strategy=pct", "'seed=7 strategy=portfolio'"),
        ("LENSSIM_RECIPE", "seed=1 strategy=best", "fifo, runUntilBlocked, random, pct"),
        ("LENSSIM_STEP_TIMEOUT", "1 minute", "seconds, such as 60"),
        ("LENSSIM_STEP_TIMEOUT", "nan", "seconds, such as 60"),
        ("LENSSIM_STEP_TIMEOUT", "-1", "seconds, such as 60"),
    ])
    func `a value that is not understood is refused, with what is allowed`(
        _ name: String,
        _ value: String,
        _ allowed: String
    ) {
        let error = #expect(throws: InvalidVariable.self) { try plan([name: value]) }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("\(name)=\(value) is not understood: write "))
        #expect(text.contains(allowed), "\(text)")
    }

    @Test func `a recorded run is cancelled where it says, and nowhere else`() {
        func cancellation(_ text: String) -> CancellationPoint? {
            var configuration = Simulation.Configuration()
            Recipe(text)?.apply(to: &configuration)
            return configuration.cancellation
        }
        #expect(cancellation("seed=1 strategy=cancel") == .drawn)
        #expect(cancellation("seed=1 strategy=cancel decisions=3:1") == nil)
        #expect(cancellation("seed=1 strategy=cancel preemptions=") == nil)
        #expect(cancellation("seed=1 strategy=cancel decisions=3:1 cancel=4:2") == .after(task: 4, steps: 2))
    }
}
