import BugZoo
import Exploration
import Simulation
import SimulationTesting
import Testing

@Suite("Test cases that a shrinker writes")
struct TestCaseTests {
    private func shrunk(_ program: Program) throws -> Shrinker.Result {
        for seed in 1...1000 as ClosedRange<UInt64> {
            for strategy in [Strategy.random, .cancel, .portfolio] {
                let recipe = Recipe(seed: seed, strategy: strategy)
                if program.run(recipe).failure != nil {
                    return try Shrinker(program, limit: .seconds(300)).shrink(recipe)
                }
            }
        }
        throw ShrinkError.passes(program.name)
    }

    /// Does what the case does, and gives what it throws.
    private func run(_ result: Shrinker.Result) async throws -> String {
        let program = try #require(Zoo.program(named: result.program))
        var trait = SimulatedTrait.replaying("\(result.shrunk)")
        trait.isInProcess = true
        let test = try #require(Test.current)
        do {
            try await trait.provideScope(for: test, testCase: Test.Case.current) { try await program.body() }
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `a case runs the program that it is about, and fails as the run that was found`() async throws
    {
        let result = try shrunk(try #require(Zoo.program(named: "lost-update")))
        #expect(
            result.testCase == """
                import BugZoo
                import Exploration
                import SimulationTesting
                import Testing

                @Test("lost-update: \(result.failure.fingerprint)", .replaying("\(result.shrunk)"))
                func lostUpdate() async throws {
                    let program = try #require(Zoo.program(named: "lost-update"))
                    try await program.body()
                }
                """
        )
        #expect(try await run(result).contains(result.failure.message))
        // The line that reproduces it names no run: the test has a recipe.
        #expect(try await run(result).contains("reproduce: swift test --filter '"))
    }

    @Test(arguments: ["leaked-waiter", "orphaned-work", "unreleased-slot"])
    func `a case fails also where something is only left behind after a cancellation`(_ name: String)
        async throws
    {
        let result = try shrunk(try #require(Zoo.program(named: name)))
        #expect(try await !run(result).isEmpty)
    }

    @Test func `a case of a program that no test can name fails until it is written`() throws {
        let program = Program(name: "mine", summary: "fails") { throw CancellationError() }
        let result = try Shrinker(program, limit: .seconds(300)).shrink(Recipe(seed: 1))
        #expect(result.testCase.contains("Issue.record(\"write here what the program mine does\")"))
    }
}
