import Exploration
import Simulation
import Synchronization
import Testing

/// What the tests of a suite, or the cases of one test, found out about the checks in the code.
///
/// A `sometimes` that holds under no seed of any test says that the tests never come where they should, or that the code there
/// is dead: a warning, since each test alone may have its reasons.
final class SuiteChecks: Sendable {
    /// That of the outermost suite or test which is simulated.
    @TaskLocal private static var current: SuiteChecks?

    private let whole = Mutex(SweepResult(program: "", strategy: .portfolio))
    private let isComplete = Mutex(true)

    /// Runs all tests of a suite, or all cases of a test, and records what none of them has reached.
    static func collecting(_ suite: () async throws -> Void) async throws {
        guard current == nil else { return try await suite() }
        let checks = SuiteChecks()
        try await $current.withValue(checks) { try await suite() }
        checks.warn()
    }

    /// Notes what the seeds of one test have found.
    static func note(_ result: SweepResult) {
        // One run is no search.
        guard result.runs > 1 else { return }
        current?.whole.withLock { $0.addChecks(of: result) }
        // A search that ends at a failure has not seen all that it would have.
        if !result.failures.isEmpty { current?.isComplete.withLock { $0 = false } }
    }

    private func warn() {
        guard isComplete.withLock({ $0 }) else { return }
        let whole = whole.withLock { $0 }
        for check in whole.neverReached {
            Issue.record("never reached in \(whole.runs) runs: sometimes \(check)", severity: .warning)
        }
    }
}
