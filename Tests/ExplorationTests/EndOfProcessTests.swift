import Exploration
import Glibc
import Probes
import Simulation
import Synchronization
import Testing

/// Runs of a sweep that end the whole process, and those that have one of their own.
@Suite("Runs of a sweep that end the process")
struct SweepEndOfProcessTests {
    private func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `a crash names the recipe, and the way to run it in a program of one's own`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let program = Program(name: "pool", summary: "crashes") {
                if Simulation.current?.seed == 75 { abort() }
            }
            _ = await Sweep(program, seeds: 1...200, jobs: 3).run()
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

    @Test func `a crash names the command where there is one`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let program = Program(name: "pool", summary: "crashes", command: "mine run pool") { abort() }
            _ = await Sweep(program, strategy: .random, seeds: 9...9, jobs: 1, plan: "some plan").run()
        }
        let text = try text(result)
        #expect(text.contains("  reproduce: mine run pool --recipe 'seed=9 plan=some+plan'\n"), "\(text)")
    }

    @Test func `a hang ends the sweep with its recipe`() async throws {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            _ = await Sweep(hangingProgram, seeds: 1...200, jobs: 2).run()
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
        #expect(text.contains("spinForever() at EndOfProcessTests.swift:"), "\(text)")
    }

    @Test func `with a process for each run a hang is a failure like others`() async throws {
        await #expect(processExitsWith: .success) {
            unsafe setenv("LENSSIM_STEP_TIMEOUT", "0.3", 1)
            let sweep = Sweep(hangingProgram, seeds: 28...33, jobs: 2, keepsGoing: true)
            let result = try ForkedSweep(sweep).run()
            let (name, group) = try #require(result.failures.first)
            #expect(result.failures.count == 1)
            #expect(result.runs == 6)
            #expect(name.hasPrefix("hang: "))
            #expect(group.runs.map(\.recipe) == [Recipe(seed: 30, strategy: .portfolio)])
            let message = try #require(group.runs.first).failure.message
            #expect(message.contains("one step has not ended for 0."))
            #expect(message.contains("(seed 30 · virtual 5.000000 s · step "))
            #expect(message.contains("spinForever() at EndOfProcessTests.swift:"))
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
            let sweep = Sweep(program, seeds: 1...1, jobs: 1, keepsGoing: true)
            let result = try ForkedSweep(sweep, futures: 2).run()
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
