import Exploration
import Simulation
import Synchronization
import Testing

/// The first issue of each run whose failure is not the test's own: of a search, or of a run that only makes a failure smaller.
final class RunIssues: Sendable {
    private struct State {
        var first: [ObjectIdentifier: FailedExpectation] = [:]
        /// Warnings and known issues, which are those of the test, not of a run.
        var others: Set<String> = []
        /// The run that has begun last.
        var latest: ObjectIdentifier?
    }

    private let state = Mutex(State())

    /// Forgets what an earlier simulation in the same memory has recorded.
    func begin(_ run: Simulation?) {
        guard let run = run.map(ObjectIdentifier.init) else { return }
        state.withLock {
            $0.first[run] = nil
            $0.latest = run
        }
    }

    /// Whether an issue that is no failure has come for the first time.
    ///
    /// Of known issues the place counts, whatever they say in each run.
    func isNew(_ issue: Issue) -> Bool {
        let isKnown = !issue.isFailure && issue.severity == .error
        let place = isKnown ? issue.sourceLocation.map { "known at \($0)" } : nil
        return state.withLock { $0.others.insert(place ?? "\(issue)").inserted }
    }

    /// Notes an issue of the current simulation.
    ///
    /// One from outside of any simulation is taken for the latest run's. Where several run at once that may be wrong; then
    /// the run does not fail again alone, and seeds are run one by one.
    func note(_ failure: FailedExpectation) {
        let current = Simulation.current.map(ObjectIdentifier.init)
        state.withLock { state in
            guard let run = current ?? state.latest, state.first[run] == nil else { return }
            state.first[run] = failure
        }
    }

    /// What the first issue of a run says, as an error.
    func end(_ run: Simulation?) -> FailedExpectation? {
        guard let run = run.map(ObjectIdentifier.init) else { return nil }
        return state.withLock { $0.first.removeValue(forKey: run) }
    }
}

/// A failure that the testing library has recorded, for a search that wants an error.
struct FailedExpectation: NamedFailure, CustomStringConvertible {
    let failureName: String
    let description: String

    init(_ issue: Issue) {
        let place = issue.sourceLocation.map { "\($0.fileName):\($0.line)" } ?? "an unknown place"
        self.init(place: place, description: "\(issue)")
    }

    /// A failure at a line of source.
    init(place: String, description: String) {
        failureName = "issue at \(place)"
        self.description = description
    }
}

extension Program {
    /// A test, whose failed expectations are errors of its runs.
    ///
    /// - Parameters:
    ///   - test: The test as a filter names it.
    ///   - configuration: What each run is given beside what its recipe decides.
    ///   - issues: Where failed expectations are noted.
    ///   - body: The test.
    init(
        test: String,
        _ configuration: Simulation.Configuration,
        _ issues: RunIssues,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name: test, summary: "") {
            let run = Simulation.current
            issues.begin(run)
            var thrown: (any Error)?
            do { try await body() } catch { thrown = error }
            if let failure = issues.end(run) { throw failure }
            if let thrown { throw thrown }
        }
        title = "the test \(test)"
        self.configuration = configuration
        // Asked for in each run: its end may be that of the process.
        reproductionLine = { WholeProgram.reproduction(of: $0, test: test) }
    }
}
