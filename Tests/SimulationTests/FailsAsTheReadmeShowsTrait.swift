import Foundation
import Testing

/// Expects a test to fail, with the words that README.md shows.
///
/// The failure is taken from the test. With a variable in the environment that changes the run it is let through, so that the
/// line that the README shows does what it says.
struct FailsAsTheReadmeShowsTrait: TestTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let variables = [
            "LENSSIM_SEED", "LENSSIM_SEEDS", "LENSSIM_FOR", "LENSSIM_SHRINK", "LENSSIM_STRATEGY",
            "LENSSIM_RECIPE",
            "LENSSIM_CHECK_DETERMINISM",
        ]
        guard variables.allSatisfy({ environment[$0] == nil }) else { return try await function() }
        let shown = Shared<[String]>([])
        let taking = IssueHandlingTrait.compactMapIssues { issue in
            shown.withLock { $0.append(Self.text(of: issue, in: test)) }
            return nil
        }
        try await taking.provideScope(for: test, testCase: testCase) { try await function() }
        let readme = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "README.md"),
            encoding: .utf8
        )
        let text = shown.withLock { $0.joined(separator: "\n") }
        #expect(!text.isEmpty && readme.contains("```\n\(text)\n```\n"), "README.md does not show:\n\(text)")
    }

    /// What Swift Testing prints of an issue.
    private static func text(of issue: Issue, in test: Test) -> String {
        let place = issue.sourceLocation.map { "\($0.fileName):\($0.line):\($0.column)" } ?? ""
        let head = "✘ Test \"\(test.displayName ?? test.name)\" recorded an issue at \(place): \(issue.kind)"
        return ([head] + issue.comments.map { "↳ \($0.rawValue.replacing("\n", with: "\n  "))" }).joined(
            separator: "\n"
        )
    }
}

extension Trait where Self == FailsAsTheReadmeShowsTrait {
    static var failsAsTheReadmeShows: Self { Self() }
}
