import SimulationTesting
import Testing

/// Runs a body with a trait inside the running test, in its process, and gives the failures as they were found and printed.
func failures(
    of trait: SimulatedTrait,
    _ body: @escaping @Sendable () async throws -> Void
) async throws -> [String] {
    var trait = trait
    trait.isInProcess = true
    let test = try #require(Test.current)
    let found = Shared<[String]>([])
    let taking = IssueHandlingTrait.compactMapIssues { issue in
        found.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
        return nil
    }
    try await taking.provideScope(for: test, testCase: Test.Case.current) { [trait] in
        do {
            try await trait.provideScope(for: test, testCase: Test.Case.current) { try await body() }
        } catch {
            found.withLock { $0.append("\(error)") }
        }
    }
    return found.withLock { $0 }
}
