import BugZoo
import Exploration
import Simulation
import SimulationTesting
import Synchronization
import Testing

/// The bugs as tests of somebody who knows the trait, and nothing of strategies.
@Suite("The zoo as plain tests")
struct ZooAsTests {
    /// What a test with this body would report, as it was found.
    private func failures(
        _ trait: SimulatedTrait,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> [String] {
        let test = try #require(Test.current)
        let found = Mutex<[String]>([])
        let taking = IssueHandlingTrait.compactMapIssues { issue in
            found.withLock { $0.append("\(issue)") }
            return nil
        }
        let trait = trait.inThisProcess
        try await taking.provideScope(for: test, testCase: Test.Case.current) {
            do {
                try await trait.provideScope(for: test, testCase: Test.Case.current) { try await body() }
            } catch {
                found.withLock { $0.append("\(error)") }
            }
        }
        return found.withLock { $0 }
    }

    @Test func `at least 38 of 41 bugs are found without a word about seeds or strategies`() async throws {
        var missed: [String] = []
        for program in Zoo.all where try await failures(.simulated, program.buggy.body).isEmpty {
            missed.append(program.name)
        }
        #expect(Zoo.all.count == 41)
        #expect(missed.count <= 3, "\(missed)")
    }

    @Test func `a seed is the same run as a test, by a recipe, and in a search with the same strategy`()
        async throws
    {
        for program in Zoo.all.flatMap({ [$0.buggy, $0.fixed] }) {
            for (seed, strategy) in [(3, .random), (4, .pos)] as [(UInt64, Strategy)] {
                let observed = Mutex<Set<Observation>>([])
                let body: @Sendable () async throws -> Void = {
                    defer {
                        // The body ends with the step in which this is read.
                        let report = Simulation.current?.report
                        observed.withLock { _ = $0.insert(Observation(report)) }
                    }
                    try await program.body()
                }
                let noting = Program(name: program.name, summary: program.summary, body: body)
                let result = noting.run(Recipe(seed: seed, strategy: strategy))
                let part = Int(seed)...Int(seed)
                let failures = try await failures(.simulated(seeds: part, strategy: strategy), body)
                #expect(failures.isEmpty == (result.failure == nil), "\(program.name): \(failures)")
                #expect(observed.withLock { $0.count } == 1, "\(program.name): \(observed.withLock { $0 })")
                var sweep = Sweep(noting, strategy: strategy, seeds: seed...seed, jobs: 1, keepsGoing: true)
                sweep.isolation = .none
                let swept = try sweep.run()
                #expect(swept.hash == result.hash && swept.steps == result.steps, "\(program.name)")
            }
        }
    }

    /// What tells one run from another.
    private struct Observation: Hashable {
        var hash: UInt64
        var steps: Int

        init(_ report: SimulationReport?) {
            hash = report?.hash ?? 0
            steps = report?.steps ?? 0
        }
    }
}

extension SimulatedTrait {
    fileprivate var inThisProcess: Self {
        var trait = self
        trait.shrinks = false
        trait.isInProcess = true
        return trait
    }
}
