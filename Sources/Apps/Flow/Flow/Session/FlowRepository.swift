/// Does what a person wants at the service, and writes down what came of it.
public protocol FlowRepository: Sendable {
    /// Logs in; afterwards ``SessionManager`` has the credentials and who the person is.
    func logIn(_ data: AuthenticationData) async throws

    /// Verifies the person who has logged in; afterwards the account counts as verified.
    func verify(_ code: String) async throws

    /// Submits the data of a step; afterwards ``SessionManager`` has them.
    func submitData(_ data: StepSubmission) async throws
}

/// The repository over a service.
///
/// A failure, and an answer that comes after its use of the app is over, change nothing.
public struct SessionRepository: FlowRepository {
    private let session: SessionManager
    private let service: any FlowService
    private let analytics: any AnalyticsService

    /// Makes a repository.
    ///
    /// - Parameters:
    ///   - session: Where outcomes are written.
    ///   - service: Who is asked.
    ///   - analytics: Where submissions are noted.
    public init(_ session: SessionManager, _ service: any FlowService, _ analytics: any AnalyticsService) {
        self.session = session
        self.service = service
        self.analytics = analytics
    }

    /// Asks the service, and writes credentials and person down.
    public func logIn(_ data: AuthenticationData) async throws {
        let (run, sessionID, _) = try await present()
        let user = try await service.logIn(data, in: sessionID)
        try await session.update(in: run) {
            $0.userInfo.authenticationData = data
            $0.userInfo.authenticationData.userID = user.userID
        }
    }

    /// Asks the service, and writes down who is verified.
    public func verify(_ code: String) async throws {
        let (run, sessionID, user) = try await present()
        try await service.verify(code, of: user, in: sessionID)
        try await session.update(in: run) {
            $0.userInfo.userData = user
            $0.userInfo.completionFlags.isVerified = true
        }
    }

    /// Asks the service, writes the data down, and notes the event.
    public func submitData(_ data: StepSubmission) async throws {
        let (run, sessionID, user) = try await present()
        try await service.submitData(data, of: user, in: sessionID)
        try await session.update(in: run) {
            $0.userInfo.flowData.take(data)
            $0.userInfo.completionFlags.isStepCompleted = true
        }
        if data.isTracked { analytics.track(event: .dataSubmitted, in: sessionID) }
    }

    /// The present use, its session, and who has logged in.
    @MainActor
    private func present() throws(NoSession) -> (run: Int, sessionID: String, user: UserData) {
        guard let sessionID = session.sessionID else { throw NoSession() }
        let user = UserData(userID: session.userInfo.authenticationData.userID)
        return (session.run, sessionID, user)
    }
}
