import Exploration
import Simulation
import Synchronization
import Testing

extension Preemption {
    /// With names in place of numbers.
    fileprivate func naming(_ names: [TaskID]) -> Preemption {
        func name(_ task: TaskID) -> TaskID {
            if case .number(let number) = task, number > 0 { names[number - 1] } else { task }
        }
        guard case .task(let task) = target else {
            return Preemption(after: name(after), steps: steps, to: target)
        }
        return Preemption(after: name(after), steps: steps, to: .task(name(task)))
    }
}

@Suite("Shrinking")
struct ShrinkerTests {
    private func failing(_ program: Program, _ strategy: Strategy = .random) throws -> Recipe {
        try #require(failing(program, strategy, count: 1).first)
    }

    private func failing(_ program: Program, _ strategy: Strategy, count: Int) -> [Recipe] {
        let recipes = (1...2000 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: strategy) }
        return Array(recipes.filter { program.run($0).failure != nil }.prefix(count))
    }

    @Test(arguments: [Strategy.random, .pct, .pos, .reentrant])
    func `a lost update shrinks to the two updates and the decisions that cross them`(_ strategy: Strategy)
        throws
    {
        let results = try failing(Programs.lostUpdate, strategy, count: 4).map {
            try Shrinker(Programs.lostUpdate, limit: .seconds(300)).shrink($0)
        }
        // A minimum from which nothing can be left out need not be the smallest: one item may hold others apart.
        #expect(results.contains { $0.after.work == 2 && $0.after.decisions <= 2 })
        for result in results {
            #expect(result.isMinimal)
            #expect(result.after.work <= 3)
            #expect(result.after.steps < result.before.steps)
            let again = Programs.lostUpdate.run(result.shrunk)
            #expect(again.failure?.fingerprint == "lost")
        }
    }

    @Test func `of many faults the one that matters is left`() throws {
        let result = try Shrinker(Programs.faulty, limit: .seconds(300)).shrink(try failing(Programs.faulty))
        #expect(result.shrunk.firings == [Firing(source: "spark", decision: 7)])
        #expect(result.after.decisions == 0)
        #expect(result.reduction > 0.5)
    }

    @Test func `a smaller run that fails in another way is not taken for the bug`() throws {
        let result = try Shrinker(Programs.twofold, limit: .seconds(300)).shrink(Recipe(seed: 1))
        #expect(result.failure.fingerprint == "with the third item")
        #expect(Programs.twofold.run(result.shrunk).failure == result.failure)
        #expect(result.shrunk.omittedWork == ["items": [0, 1, 3, 4, 5]])
        #expect(result.after.work == 1)
    }

    @Test(arguments: [Strategy.random, .pct, .pos])
    func `the small run is written down as it was, so that it repeats itself exactly`(_ strategy: Strategy)
        throws
    {
        for program in [Programs.lostUpdate, Programs.faulty] {
            for recipe in failing(program, strategy, count: 4) {
                let shrunk = try Shrinker(program, limit: .seconds(300)).shrink(recipe).shrunk
                let again = program.run(shrunk, recording: .decisions) { $0.namesTasks = true }
                let report = try #require(again.report)
                #expect(report.firings == shrunk.firings ?? [])
                if let preemptions = shrunk.preemptions {
                    #expect(shrunk.strategy == .runUntilBlocked)
                    #expect(shrunk.decisions == nil)
                    #expect(report.preemptions.map { $0.naming(report.taskNames) } == preemptions)
                } else {
                    #expect(shrunk.strategy == .fifo)
                    var decisions = report.decisions
                    while decisions.last?.index == 0 { decisions.removeLast() }
                    #expect(decisions == shrunk.decisions)
                }
            }
        }
    }

    @Test func `a run that its decisions do not reproduce is refused, with what to do`() {
        let isFirst = Atomic(true)
        let program = Program(name: "once", summary: "fails once in a process") {
            if isFirst.exchange(false, ordering: .relaxed) { throw Programs.Wrong(what: "once") }
        }
        let error = #expect(throws: ShrinkError.self) {
            try Shrinker(program, limit: .seconds(300)).shrink(Recipe(seed: 1))
        }
        #expect(error == .unstable("seed=1"))
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("--recipe '…' --check-determinism"), "\(text)")
        #expect(text.contains("Simulation.checkDeterminism"), "\(text)")
    }

    @Test func `two runs that differ are told apart from runs that fail`() {
        let runs = Atomic(0)
        let program = Program(name: "drifting", summary: "does more each time") {
            for _ in 0..<runs.add(1, ordering: .relaxed).newValue { await Task.yield() }
        }
        #expect(program.divergence(Recipe(seed: 1))?.fingerprint == "diverged")
        #expect(Programs.faulty.divergence(Recipe(seed: 1)) == nil)
    }

    @Test func `a loop that waits forever in another order does not keep the shrinker busy`() throws {
        let turns = Atomic(0)
        let program = Program(name: "spinning", summary: "looks again and again until another task has run") {
            let flag = Flag()
            let other = Task { await flag.set() }
            while await !flag.isSet { turns.add(1, ordering: .relaxed) }
            await other.value
            throw Programs.Wrong(what: "always")
        }
        let result = try Shrinker(program, limit: .seconds(300)).shrink(Recipe(seed: 1))
        #expect(result.after.decisions > 0, "without a preemption the loop never ends")
        #expect(turns.load(ordering: .relaxed) < 1_000_000)
    }

    @Test func `a wish to stop ends shrinking with what there is`() throws {
        let recipe = try failing(Programs.lostUpdate)
        var shrinker = Shrinker(Programs.lostUpdate, limit: .seconds(300))
        shrinker.isStopped = { true }
        let result = try shrinker.shrink(recipe)
        #expect(result.tries == 1 && !result.isMinimal)
    }

    @Test func `a run that passes is not shrunk`() {
        #expect(throws: ShrinkError.passes("seed=1")) {
            try Shrinker(Programs.sound, limit: .seconds(300)).shrink(Recipe(seed: 1))
        }
    }

    @Test func `when time is up the best so far is given, and said not to be minimal`() throws {
        let recipe = try failing(Programs.lostUpdate)
        let none = try Shrinker(Programs.lostUpdate, limit: .zero).shrink(recipe)
        let some = try Shrinker(Programs.lostUpdate, maximumTries: 4).shrink(recipe)
        let whole = try Shrinker(Programs.lostUpdate, limit: .seconds(300)).shrink(recipe)
        #expect(!none.isMinimal && !some.isMinimal && whole.isMinimal)
        #expect(none.tries == 1 && some.tries == 4)
        #expect(none.after.work == none.before.work)
        for result in [none, some] {
            #expect(Programs.lostUpdate.run(result.shrunk).failure == result.failure)
        }
    }

    @Test func `a recipe is the same after it was written as text and read again`() throws {
        let recipe = Recipe(
            seed: 7,
            strategy: .pct,
            decisions: [Decision(index: 0), Decision(index: 2), Decision(index: 0), Decision(index: 1)],
            firings: [
                Firing(source: "loss phone gemini", decision: 3), Firing(source: "a:b,c=d%é", decision: 0),
            ],
            omittedWork: ["up loads": [1, 4]],
            cancellation: .after(task: 3, steps: 2),
            branches: [Recipe.Branch(point: "reset in flight", future: 2)],
            plan: "{\"version\": 1}"
        )
        #expect(Recipe(recipe.description) == recipe)
        #expect(!recipe.description.contains("\""))
        for wrong in [
            "", "seed", "seed=x", "seed=1 decisions=3", "seed=1 decisions=5:1,3:1", "seed=1 faults=a",
            "bogus=1",
            "strategy=pct", "seed=1 decisions=99999999999:1",
        ] {
            #expect(Recipe(wrong) == nil)
        }
    }

    @Test func `a small run fails the same from its line of text`() throws {
        let result = try Shrinker(Programs.lostUpdate, limit: .seconds(300)).shrink(
            try failing(Programs.lostUpdate)
        )
        let read = try #require(Recipe(result.shrunk.description))
        let again = Programs.lostUpdate.run(read)
        #expect(again.failure == result.failure)
    }
}

private actor Flag {
    private(set) var isSet = false
    func set() { isSet = true }
}
