import Exploration
import Synchronization
import Testing

/// The issues of runs whose failures are not the test's own: of those that only make a failure smaller.
final class CapturedIssues: Sendable {
    private let first = Mutex<FailedExpectation?>(nil)

    /// Forgets what an earlier run has recorded.
    func clear() { first.withLock { $0 = nil } }

    func note(_ issue: Issue) {
        let failure = FailedExpectation(issue)
        first.withLock { $0 = $0 ?? failure }
    }

    /// What the first one says, as an error.
    var failure: FailedExpectation? { first.withLock { $0 } }
}

/// A failure that Swift Testing has recorded, for a search that wants an error.
struct FailedExpectation: NamedFailure, CustomStringConvertible {
    let failureName: String
    let description: String

    init(_ issue: Issue) {
        let place = issue.sourceLocation.map { "\($0.fileName):\($0.line)" } ?? "an unknown place"
        failureName = "issue at \(place)"
        description = "\(issue)"
    }
}
