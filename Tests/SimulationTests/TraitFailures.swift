import SimulationTesting
import Testing

/// Runs a body with a trait inside the running test, in its process, and gives the failures as they were found and printed;
/// warnings begin with that word.
func failures(
    of trait: SimulatedTrait,
    _ body: @escaping @Sendable () async throws -> Void
) async throws -> [String] {
    var trait = trait
    trait.isInProcess = true
    let test = try #require(Test.current)
    let found = Shared<[String]>([])
    let taking = IssueHandlingTrait.compactMapIssues { issue in
        let text = issue.comments.map(\.rawValue).joined(separator: "\n")
        found.withLock { $0.append(issue.severity == .warning ? "warning: \(text)" : text) }
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
