import Flow
import Synchronization

/// A service with scripted answers, without a network.
final class ScriptedFlowService: FlowService {
    private let failure = Mutex<(any Error)?>(nil)
    private let log = Mutex<[StepSubmission]>([])
    /// Awaited before each answer.
    let before: @Sendable () async throws -> Void

    init(_ before: @escaping @Sendable () async throws -> Void = {}) { self.before = before }

    /// The data that were submitted.
    var submitted: [StepSubmission] { log.withLock(\.self) }

    /// Fails each later call.
    func fail(with error: (any Error)?) { failure.withLock { $0 = error } }

    private func answer() async throws {
        try await before()
        if let error = failure.withLock(\.self) { throw error }
    }

    func logIn(_ data: AuthenticationData, in sessionID: String) async throws -> UserData {
        try await answer()
        return UserData(userID: "user of \(data.email)")
    }

    func verify(_ code: String, of user: UserData, in sessionID: String) async throws {
        try await answer()
    }

    func submitData(_ data: StepSubmission, of user: UserData, in sessionID: String) async throws {
        log.withLock { $0.append(data) }
        try await answer()
    }
}
