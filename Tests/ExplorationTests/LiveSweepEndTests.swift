import Exploration
import Glibc
import Probes
import Simulation
import Synchronization
import Testing

/// Runs of a sweep that end the whole process, and those that have one of their own.
@Suite("Runs of a sweep that end the process", .timeLimit(.minutes(10)))
struct LiveSweepEndTests {
    private func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `in one process a crash names the recipe, and the way to run it in a program of one's own`()
        async throws
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let program = Program(name: "pool", summary: "crashes") {
                if Simulation.current?.seed == 75 { abort() }
            }
            var sweep = Sweep(program, seeds: 1...200, jobs: 3)
            sweep.isolation = .none
            _ = try sweep.run()
        }
        let text = try text(result)
        #expect(
            text.contains("LensSim: a run of the program pool crashed with SIGABRT (seed 75 · virtual "),
            "\(text)"
        )
        #expect(
            text.contains("  reproduce: program.run(Recipe(\"seed=75 strategy=portfolio\")!)\n"),
            "\(text)"
        )
    }

    @Test func `in one process a crash names the command where there is one`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let program = Program(name: "pool", summary: "crashes", command: "mine run pool") { abort() }
            var sweep = Sweep(program, strategy: .random, seeds: 9...9, jobs: 1, plan: "some plan")
            sweep.isolation = .none
            _ = try sweep.run()
        }
        let text = try text(result)
        #expect(text.contains("  reproduce: mine run pool --recipe 'seed=9 plan=some+plan'\n"), "\(text)")
    }

    @Test func `in one process a hang ends the sweep with its recipe`() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            var sweep = Sweep(hangingProgram, seeds: 1...200, jobs: 2)
            sweep.isolation = .none
            _ = try sweep.run()
        }
        let text = try text(result)
        #expect(
            text.contains("LensSim: a run of the program stuck hangs: one step has not ended for "),
            "\(text)"
        )
        #expect(
            text.contains("  reproduce: program.run(Recipe(\"seed=30 strategy=portfolio\")!)\n"),
            "\(text)"
        )
        #expect(text.contains("spinForever() at LiveSweepEndTests.swift:"), "\(text)")
    }

    @Test func `with a process for each run a hang is a failure like others`() async throws {
        await #expect(processExitsWith: .success) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            let sweep = Sweep(hangingProgram, seeds: 28...33, jobs: 2, keepsGoing: true)
            let result = try sweep.run()
            let (name, group) = try #require(result.failures.first)
            #expect(result.failures.count == 1)
            #expect(result.runs == 6)
            #expect(name.hasPrefix("hang: "))
            #expect(group.runs.map(\.recipe) == [Recipe(seed: 30, strategy: .portfolio)])
            let message = try #require(group.runs.first).failure.message
            #expect(message.contains("one step has not ended for 0."))
            #expect(message.contains("(seed 30 · virtual 5.0000"))
            #expect(message.contains("spinForever() at LiveSweepEndTests.swift:"))
        }
    }

    @Test func `with a process for each run a crash and an exit name their place, and are kinds by place`()
        async
    {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "endings", summary: "ends its process in three ways") {
                try await Task.sleep(for: .seconds(2))
                switch Simulation.current?.seed {
                case 2: trapHere()
                case 3: trapThere()
                case 4: leaveHere()
                default: break
                }
            }
            let sweep = Sweep(program, strategy: .random, seeds: 1...5, jobs: 2, keepsGoing: true)
            let result = try sweep.run()
            #expect(result.runs == 5)
            let kinds = result.failures.keys.sorted()
            try #require(kinds.count == 3, "\(kinds)")
            #expect(kinds.contains { $0.hasPrefix("crash ") && $0.contains("trapHere()") }, "\(kinds)")
            #expect(kinds.contains { $0.hasPrefix("crash ") && $0.contains("trapThere()") }, "\(kinds)")
            #expect(kinds.contains { $0.hasPrefix("exit 9: ") && $0.contains("leaveHere()") }, "\(kinds)")
            for (_, group) in result.failures {
                let run = try #require(group.runs.first)
                let text = "(seed \(run.recipe.seed) · virtual 2.0000"
                #expect(run.failure.message.contains(text), "\(run.failure)")
                #expect(run.failure.message.contains("at LiveSweepEndTests.swift:"), "\(run.failure)")
                #expect(run.failure.endsProcess)
            }
        }
    }

    @Test func `a stack that is full is a crash with its place too`() async {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "deep", summary: "fills its stack") { _ = deepen(0) }
            let sweep = Sweep(program, strategy: .random, seeds: 1...1, jobs: 1)
            let result = try sweep.run()
            #expect(result.failures.keys.contains { $0.contains("deepen") }, "\(result)")
        }
    }

    @Test func `what crashes shrinks in processes of its own, also where the crash needs a fault`() async {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "fragile", summary: "crashes when a fault meets a lost update") {
                let counter = Counter()
                await withTaskGroup(of: Void.self) { group in
                    for _ in Simulation.work("updates", count: 5) {
                        group.addTask {
                            let seen = await counter.value
                            await counter.set(seen + 1)
                        }
                    }
                }
                let isLost = await counter.value < Simulation.work("updates", count: 5).count
                let source = Simulation.current?.faultSource("spark")
                let sparks = (0..<6).map { _ in source?.fires(probability: 0.5) != nil }
                if isLost, sparks[3] { trapHere() }
            }
            let sweep = Sweep(program, seeds: 1...200, jobs: 1)
            let result = try sweep.run()
            let run = try #require(result.failures.values.first?.runs.first)
            var shrinker = Shrinker(program, limit: .seconds(300))
            shrinker.isIsolated = true
            let small = try shrinker.shrink(run.recipe)
            #expect(small.failure.fingerprint == run.failure.fingerprint)
            #expect(small.isMinimal)
            #expect(small.after.work == 2)
            #expect(small.shrunk.firings == [Firing(source: "spark", decision: 3)])
            let file = try FailureFile(isolated: program, recipe: run.recipe, shrunk: small)
            #expect(file.failure?.fingerprint == run.failure.fingerprint)
            // The last step has not come to its end.
            #expect(file.trace.steps.count == small.after.steps - 1)
        }
    }

    @Test func `seeds that crash do not end the count of those that fail in another way`() async {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "mixed", summary: "crashes now and then") {
                switch Int.random(in: 0..<20) {
                case 0: trapHere()
                case 1...5: throw CancellationError()
                default: break
                }
            }
            let sweep = Sweep(program, seeds: 1...1, jobs: 2)
            let rate = try #require(try sweep.failureRate(of: Failure(CancellationError())))
            #expect(rate.seeds > 20, "\(rate)")
            #expect(rate.failures > 0 && rate.failures < rate.seeds / 2, "\(rate)")
        }
    }

    @Test func `a sweep ends when its workers have used their processor time`() async {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "busy", summary: "") { for _ in 0..<1_000 { await Task.yield() } }
            var sweep = Sweep(program, seeds: 1...1_000_000, jobs: 2)
            sweep.workLimit = .milliseconds(100)
            let result = try sweep.run()
            #expect(result.runs > 0 && result.runs < 1_000_000)
        }
    }

    @Test func `a probing run that crashes does not end a sweep in processes, and is counted`() async {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "sparkless", summary: "crashes where no fault can happen") {
                guard let source = Simulation.current?.faultSource("spark") else { return }
                if source.fires(probability: 1) == nil { trapHere() }
            }
            for seeds in [5...8, 1...8] as [ClosedRange<UInt64>] {
                let sweep = Sweep(program, seeds: seeds, jobs: 2, keepsGoing: true)
                let result = try sweep.run()
                #expect(result.seeds == [seeds] && result.runs == seeds.count)
                // A part of the sweep that has not its seed leaves it to the one that has.
                let recipes = result.failures.values.flatMap(\.runs).map { "\($0.recipe)" }
                #expect(recipes == (seeds.contains(1) ? ["seed=1 strategy=fifo faults="] : []))
            }
        }
    }

    @Test func `a hang in a branch is a failure of the branch, and its parent does not seem to hang`() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            let program = Program(name: "branching", summary: "hangs in each branch") {
                guard let simulation = Simulation.current else { return }
                branchPoint("here")
                // The first future draws what the seed says.
                var first = EntropyStream(seed: simulation.seed, label: "world/link")
                var drawn = simulation.entropy("link")
                if drawn.next() != first.next() { spinForever() }
            }
            var sweep = Sweep(program, seeds: 1...1, jobs: 1, keepsGoing: true)
            sweep.futures = 2
            let result = try sweep.run()
            #expect(result.runs == 3)
            #expect(result.failures.count == 1)
            #expect(result.failures.first?.value.runs.map(\.recipe.branches.count) == [1, 1])
        }
    }
}

private let hangingProgram = Program(name: "stuck", summary: "one seed hangs") {
    try await Task.sleep(for: .seconds(5))
    if Simulation.current?.seed == 30 { spinForever() }
}

@inline(never) private func spinForever() {
    let never = Atomic(false)
    // Nobody sets it.
    while !never.load(ordering: .relaxed) {}
}

private actor Counter {
    var value = 0
    func set(_ value: Int) { self.value = value }
}

@inline(never) private func trapHere() { preconditionFailure("here") }

@inline(never) private func trapThere() { preconditionFailure("there") }

@inline(never) private func leaveHere() { exit(9) }

// More than 1024 bytes would come from the allocator: where that meets the end of the stack, it keeps its lock forever.
@inline(never) private func deepen(_ level: Int) -> Int {
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 100) { words in
        unsafe words[0] = level
        return unsafe deepen(words[0] + 1) + words[0]
    }
}
