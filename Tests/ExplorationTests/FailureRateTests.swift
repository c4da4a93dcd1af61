import Exploration
import Simulation
import Testing

@Suite("Failure rates")
struct FailureRateTests {
    private func sweep(_ program: Program, isolation: Sweep.Isolation = .none) -> Sweep {
        var sweep = Sweep(program, seeds: 1...3, jobs: 1)
        sweep.isolation = isolation
        return sweep
    }

    private func failing(_ program: Program) throws -> (recipe: Recipe, failure: Failure) {
        let runs = (1...1_000 as ClosedRange<UInt64>).lazy.map { program.run(Recipe(seed: $0)) }
        let run = try #require(runs.first { $0.failure != nil })
        return (run.recipe, try #require(run.failure))
    }

    @Test func `from nine tenths on a program fails in nearly every order`() {
        #expect(FailureRate(failures: 900, seeds: 1_000).isNearlyAll)
        #expect(!FailureRate(failures: 899, seeds: 1_000).isNearlyAll)
        #expect(!FailureRate(failures: 9, seeds: 9).isNearlyAll, "too few to tell")
        #expect("\(FailureRate(failures: 412, seeds: 1_000))" == "in 412 of 1000 seeds")
        #expect("\(FailureRate(failures: 950, seeds: 1_000))".contains("in nearly every order"))
        #expect("\(FailureRate(failures: 1_000, seeds: 1_000))".contains("in every order"))
    }

    @Test func `a sweep counts the seeds that fail in one way, and no others`() throws {
        let (_, failure) = try failing(Programs.rare)
        let rate = try #require(try sweep(Programs.rare).failureRate(of: failure))
        let expected = (1...UInt64(rate.seeds)).count {
            Programs.rare.run(Recipe(seed: $0, strategy: .portfolio)).failure?.fingerprint
                == failure.fingerprint
        }
        #expect(rate.failures == expected && expected > 0, "\(rate)")
    }

    @Test func `a run that never ends is ended, and counts as a run that does not fail alike`() throws {
        var program = Program(name: "endless", summary: "") {
            if Int.random(in: 0..<2) == 0 { throw Programs.Wrong(what: "at once") }
            while true { await Task.yield() }
        }
        program.maximumSteps = 1_000
        let rate = try #require(
            try sweep(program).failureRate(of: Failure(Programs.Wrong(what: "at once")))
        )
        let expected = (1...UInt64(rate.seeds)).count {
            let run = program.run(Recipe(seed: $0, strategy: .portfolio))
            return run.steps < 100 && run.failure?.fingerprint == "at once"
        }
        #expect(rate.failures == expected && expected > 0 && expected < rate.seeds, "\(rate)")
    }

    @Test func `a sweep without processor time runs one seed`() throws {
        var sweep = sweep(Programs.sound)
        sweep.workLimit = .zero
        #expect(try sweep.run().seeds == [1...1])
    }

    @Test func `what fails in nearly every order has no race`() throws {
        let (recipe, failure) = try failing(Programs.nearlyAlways)
        let rate = try #require(try sweep(Programs.nearlyAlways).failureRate(of: failure))
        let file = FailureFile(Programs.nearlyAlways, recipe: recipe, rate: rate)
        #expect(rate.isNearlyAll && rate.failures < rate.seeds, "\(rate)")
        #expect(file.rate == rate)
        #expect(Programs.nearlyAlways.race(file.recipe, in: file.trace, limit: .seconds(60)) != nil)
        #expect(file.race == nil)
    }

    @Test func `a run without choices is repeated by its seed alone`() throws {
        let program = Program(name: "always", summary: "") { throw Programs.Wrong(what: "always") }
        let recipe = Recipe(seed: 3)
        let shrunk = try Shrinker(program, limit: .seconds(300)).shrink(recipe)
        #expect(!shrunk.hasChoices)
        #expect(FailureFile(program, recipe: recipe, shrunk: shrunk).repeating == recipe)
        let found = try failing(Programs.lostUpdate).recipe
        let small = try Shrinker(Programs.lostUpdate, limit: .seconds(300)).shrink(found)
        #expect(small.hasChoices)
        #expect(FailureFile(Programs.lostUpdate, recipe: found, shrunk: small).repeating == small.shrunk)
    }

    @Test func `other seeds are run as the run that was found, without the order that it had`() {
        var sweep = sweep(Programs.rare)
        sweep.resemble(Recipe(seed: 7, strategy: .pct, plan: "swarm", stalls: false))
        #expect(sweep.strategy == .pct && sweep.plan == "swarm" && !sweep.stalls)
        sweep.resemble(Recipe(seed: 7, strategy: .runUntilBlocked, preemptions: []))
        #expect(sweep.strategy == .portfolio && sweep.plan == nil && sweep.stalls)
    }
}
