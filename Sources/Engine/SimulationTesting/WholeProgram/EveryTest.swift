import Exploration
import Foundation
import Simulation
public import Testing

// What `whole_program.c` calls for each test of Swift Testing.

extension Test {
    /// The test with a trait that simulates it, or that notes how it ends where it is not asynchronous.
    ///
    /// The trait comes first, so that what the test's other traits do around it is done in each run, and what they do with
    /// issues is done before a run sees them.
    fileprivate var counted: Test {
        guard !isSuite else { return self }
        var test = self
        if WholeProgram.isOver(TestFilter.name(of: "\(id)")) {
            test.traits.insert(.disabled("it ran in an earlier process"), at: 0)
        }
        guard !traits.contains(where: { $0 is SimulatedTrait }) else { return test }
        test.traits.insert(isAsync ? SimulatedTrait.implied : PlainTrait(), at: 0)
        return test
    }

    /// Whether its source says that it is, since the value of a test does not; one without its source may be.
    private var isAsync: Bool {
        let place = sourceLocation
        guard let source = try? String(contentsOfFile: place.filePath, encoding: .utf8) else { return true }
        return DeclaredEffects.isAsync(in: source, line: place.line, column: place.column) ?? true
    }
}

extension SimulatedTrait {
    /// What `LENSSIM_ALL` gives a test that has no trait of its own: up to a hundred seeds, or as many as there is time for in
    /// two seconds.
    static var implied: Self {
        var trait = Self(seeds: 1...100, limit: .seconds(2), strategy: .portfolio, configuration: .init())
        trait.isImplied = true
        return trait
    }
}

/// Notes how a test ends that runs once, as it is.
private struct PlainTrait: TestTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let name = TestFilter.name(of: "\(test.id)")
        let relay = IssueRelay()
        WholeProgram.begin(name)
        let noting = IssueHandlingTrait.compactMapIssues { issue in
            if issue.isFailure { relay.send(RelayedIssue(issue)) }
            return issue
        }
        var thrown: (any Error)?
        do {
            try await noting.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
            thrown = error
        }
        let report = (relay.all.map(\.placedText) + (thrown.map { ["\($0)"] } ?? [])).joined(separator: "\n")
        WholeProgram.end(
            report.isEmpty
                ? TestVerdict(test: name, kind: .notAsynchronous)
                : TestVerdict(test: name, kind: .fails, cause: report, report: report)
        )
        if let thrown { throw thrown }
    }
}

/// `Test.__store` of libTesting.
@_silgen_name("csim_store_plain_test")
private func store(
    _ generator: @escaping @concurrent @Sendable () async -> Test,
    _ place: UnsafeMutableRawPointer,
    _ type: UnsafeRawPointer
) -> Bool

/// What the record of each test calls instead of `Test.__store`.
@usableFromInline
@_silgen_name("csim_store_test")
func storeCounted(
    _ generator: @escaping @concurrent @Sendable () async -> Test,
    _ place: UnsafeMutableRawPointer,
    _ type: UnsafeRawPointer
) -> Bool {
    unsafe store({ await generator().counted }, place, type)
}
