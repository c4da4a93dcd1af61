import BugZoo
import Exploration
import SimulationTesting
import Synchronization
import Testing

/// The bugs as tests of somebody who knows the trait, and nothing of strategies.
@Suite("The zoo as plain tests")
struct ZooAsTests {
    /// What a test with this body would report, as it was found.
    private func failures(_ body: @escaping @Sendable () async throws -> Void) async throws -> [String] {
        let test = try #require(Test.current)
        let found = Mutex<[String]>([])
        let taking = IssueHandlingTrait.compactMapIssues { issue in
            found.withLock { $0.append("\(issue)") }
            return nil
        }
        let trait = SimulatedTrait.simulated.inThisProcess
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
        for program in Zoo.all where try await failures(program.buggy.body).isEmpty {
            missed.append(program.name)
        }
        #expect(Zoo.all.count == 41)
        #expect(missed.count <= 3, "\(missed)")
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
