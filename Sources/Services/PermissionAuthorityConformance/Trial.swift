import Conformance
import Services

/// An authority on trial, with its harness at hand.
struct Trial: Sendable {
    let authority: any PermissionAuthority
    let patience: Duration
    let questions: @Sendable () async throws -> [DevicePermission]
    let decide: @Sendable (DevicePermission, PermissionStatus) async throws -> Void

    static func make<Harness: PermissionAuthorityHarness>(
        _ decided: [DevicePermission: PermissionStatus],
        _ answers: [DevicePermission: PermissionStatus],
        _ harness: Harness
    ) async throws -> Trial {
        let authority = try await harness.makeAuthority(decided: decided, answers: answers)
        return Trial(
            authority: authority,
            patience: harness.patience,
            questions: { try await harness.questions(of: authority) },
            decide: { try await harness.decide($0, $1, of: authority) }
        )
    }

    /// Checks what has been decided.
    func expect(_ status: PermissionStatus, _ permission: DevicePermission, _ requirement: String) throws {
        try require(authority.status(of: permission), is: status, requirement)
    }

    /// Asks for something, and checks the decision.
    func request(
        _ permission: DevicePermission,
        is status: PermissionStatus,
        _ requirement: String,
        within limit: Duration? = nil
    ) async throws {
        let decision = try await requireEnd("a request ends", within: limit ?? patience) {
            await authority.request(permission)
        }
        try require(decision, is: status, requirement)
    }

    func expectQuestions(_ permissions: [DevicePermission], _ requirement: String) async throws {
        try require(try await questions().map(\.rawValue), is: permissions.map(\.rawValue), requirement)
    }
}
