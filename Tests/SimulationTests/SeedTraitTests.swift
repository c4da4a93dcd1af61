import Simulation
import SimulationTesting
import Synchronization
import Testing

@Suite("The simulated trait")
struct SeedTraitTests {
    private static let seen = Mutex<[UInt64]>([])

    @Test(.simulated(seeds: 11...14)) func `runs the body once for every seed`() async throws {
        let simulation = try #require(Simulation.current)
        let seen = Self.seen.withLock { seen in
            seen.append(simulation.seed)
            return seen
        }
        #expect(seen.last == simulation.seed)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 + 1 == $1 })
        try await Task.sleep(for: .seconds(3600))
        #expect(simulation.now == .seconds(3600))
    }

    @Test(.simulated(seeds: 1...3), arguments: ["a", "b"])
    func `works with arguments and on the main actor`(argument: String) async throws {
        let onMain = await MainActor.run { Simulation.current != nil }
        #expect(onMain)
        #expect(argument.count == 1)
    }

    @Test func `a stuck body fails its test, with the seed and the line that runs it again`() async throws {
        try await withKnownIssue {
            let trait = SimulatedTrait.simulated(seed: 5)
            let test = try #require(Test.current)
            try await trait.provideScope(for: test, testCase: Test.Case.current) {
                await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        } matching: { issue in
            let text = issue.error.map { "\($0)" } ?? ""
            return text.contains("seed 5") && text.contains("no runnable task")
                && text.contains("LENSSIM_SEED=5 swift test")
        }
    }
}
