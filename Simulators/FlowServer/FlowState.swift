import Foundation
import PeerKit

/// All that the simulated backend knows.
struct FlowState: ~Copyable {
    /// One use of the app by one device.
    struct Session {
        let deviceID: String
        var userID: String?
        var isVerified = false
        var wrongCodes = 0
        /// What was sent for each step, by its number.
        var steps: [Int: [String: JSONValue]] = [:]

        /// The number of the first step that is not done; one past the last when all are.
        var nextStep: Int { (1...FlowSteps.count).first { steps[$0] == nil } ?? FlowSteps.count + 1 }
    }

    /// The account of one e-mail address.
    struct Account {
        let userID: String
        let password: String
    }

    /// Accounts that are kept; a backend that had all of the world's would need a database.
    static let accountLimit = 100_000

    /// By their IDs.
    var sessions: [String: Session] = [:]
    /// Sessions in the order of their beginning.
    private var begun: BoundedLog<String>
    /// By e-mail address in small letters.
    var accounts: [String: Account] = [:]
    var events = BoundedLog<FlowEvent>(capacity: 100_000)
    /// Tokens of earlier generations are revoked.
    var generation = 0
    var tokenCount = 0
    var requestCount = 0

    init(sessionLimit: Int) { begun = BoundedLog(capacity: sessionLimit) }

    /// Begins a session; where there would be too many, the oldest is forgotten, as by a service whose sessions end.
    mutating func begin(_ id: String, _ session: Session) {
        if let oldest = begun.leaving { sessions[oldest] = nil }
        begun.append(id)
        sessions[id] = session
    }
}
