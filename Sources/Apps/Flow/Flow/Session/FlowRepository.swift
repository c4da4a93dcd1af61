/// Does what a person wants at the service, and writes down what came of it.
public protocol FlowRepository: Sendable {
    /// Logs in; afterwards ``SessionManager`` has the credentials and who the person is.
    func logIn(_ data: AuthenticationData) async throws

    /// Verifies the present person; afterwards the account counts as verified.
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
        try await alone(where: { $0.navigationState == .feature1 }) { present in
            let user = try await service.logIn(data, in: present.sessionID)
            try await session.update(in: present.run) {
                $0.userInfo.authenticationData = data
                $0.userInfo.authenticationData.userID = user.userID
            }
        }
    }

    /// Asks the service, and writes down that the person is verified.
    public func verify(_ code: String) async throws {
        try await alone(where: { $0.navigationState == .feature2 }) { present in
            try await service.verify(code, of: present.user, in: present.sessionID)
            try await session.update(in: present.run) {
                $0.userInfo.userData = present.user
                $0.userInfo.completionFlags.isVerified = true
            }
        }
    }

    /// Asks the service, writes the data down, and notes the event.
    public func submitData(_ data: StepSubmission) async throws {
        let isShown = { (now: SessionManager.Snapshot) in
            now.navigationState == .feature3 && now.currentStep == data.step
        }
        try await alone(where: isShown) { present in
            try await service.submitData(data, of: present.user, in: present.sessionID)
            try await session.update(in: present.run) {
                $0.userInfo.flowData.take(data)
                $0.userInfo.completionFlags.isStepCompleted = true
            }
            analytics.track(event: .dataSubmitted, in: present.sessionID)
        }
    }

    /// What a call is made for.
    private struct Present {
        let run: Int
        let sessionID: String
        let user: UserData
    }

    /// Makes a call for the part that is shown, where none is under way: two windows may show the same part.
    ///
    /// - Throws: ``Superseded`` where another part is shown or no use is under way, ``NoSession``, ``AlreadyUnderWay``.
    @MainActor
    private func alone(
        where isShown: (SessionManager.Snapshot) -> Bool,
        _ call: (Present) async throws -> Void
    ) async throws {
        let now = session.snapshot
        guard now.isOpen, isShown(now) else { throw Superseded() }
        guard let sessionID = now.sessionID else { throw NoSession() }
        guard session.beginCall() else { throw AlreadyUnderWay() }
        defer { session.endCall(of: now.run) }
        try await call(
            Present(
                run: now.run,
                sessionID: sessionID,
                user: UserData(userID: now.userInfo.authenticationData.userID)
            )
        )
    }
}
