internal import Services

/// The service in the words of the app: models in, models out.
public protocol FlowService: Sendable {
    /// Logs a person in.
    func logIn(_ data: AuthenticationData, in sessionID: String) async throws -> UserData

    /// Verifies a person by a code.
    func verify(_ code: String, of user: UserData, in sessionID: String) async throws

    /// Submits the data of a step.
    func submitData(_ data: StepSubmission, of user: UserData, in sessionID: String) async throws
}

/// The service behind an API.
public struct APIFlowService: FlowService {
    private let api: any FlowAPI

    /// Makes the service of an API.
    public init(_ api: any FlowAPI) { self.api = api }

    /// One call; the person is who the answer names.
    public func logIn(_ data: AuthenticationData, in sessionID: String) async throws -> UserData {
        let answer = try await api.logIn(
            LoginRequest(
                sessionId: sessionID,
                email: data.email,
                password: data.password,
                consents: data.consents
            )
        )
        return UserData(userID: answer.userId)
    }

    /// One call.
    public func verify(_ code: String, of user: UserData, in sessionID: String) async throws {
        try await api.verify(
            VerificationRequest(sessionId: sessionID, userId: user.userID, code: Secret(code))
        )
    }

    /// One call.
    public func submitData(_ data: StepSubmission, of user: UserData, in sessionID: String) async throws {
        _ = try await api.submit(StepRequest(sessionId: sessionID, userId: user.userID, submission: data))
    }
}
