internal import AppKernel
public import Flow
internal import FlowPage
public import ScenarioKit
public import ServiceClient
internal import Services
public import SessionRecording
internal import SimulatedDevice

/// A run of the program `flow` that was recorded, and runs again on its recording.
public struct RecordedFlow: RecordedProgram {
    /// The name under which runs stand in recordings.
    public static let name = "flow"
    /// The file with the identity of the device, which is an input of a run.
    public static let database = "flow.sqlite"

    /// What its screens have in every run, that of a scenario too.
    public static let properties = [completion]
    static let completion = ScreenProperty(of: "flow", "completion is the end") {
        (state: FlowViewModel.State) in isEnd(state.currentStep, isCompleted: state.isCompleted)
    }

    /// Whether a step can be the one at which a flow stands that is completed, or is not.
    static func isEnd(_ step: FlowStep, isCompleted: Bool) -> Bool { !isCompleted || step == .completion }

    /// The service.
    public let service: ServiceAddress
    /// The client that tokens are for.
    public let clientID: String

    /// Describes a run that is to be recorded.
    public init(service: ServiceAddress, clientID: String) {
        (self.service, self.clientID) = (service, clientID)
    }

    /// Reads how a run was recorded.
    ///
    /// - Throws: `SessionError`.
    public init(_ session: SessionReader) throws {
        guard let service = session.manifest.parameters["service"].flatMap(ServiceAddress.init),
            let clientID = session.manifest.parameters["clientID"]
        else {
            throw SessionError.damaged(path: session.path, detail: "it does not say which service it used")
        }
        self.init(service: service, clientID: clientID)
    }

    /// How it is run, for the recording.
    public var parameters: [String: String] { ["service": "\(service)", "clientID": clientID] }

    /// The most that calls, each with its limit, may take after the last thing that was recorded.
    public var patience: Duration { .seconds(3600) }

    /// Runs it again.
    public func run(on session: ReplayedSession) async throws {
        let database = try AppDatabase(path: session.folder + "/" + Self.database)
        defer { try? database.close() }
        let environment = FlowEnvironment(
            http: session.transport,
            clientID: clientID,
            secrets: InMemorySecretStore([APIManager.clientSecretName: ReplayedSession.secret]),
            preferences: try SQLitePreferenceStore(database),
            device: try session.deviceInformation(),
            address: { service }
        )
        _ = try await Self.use(
            environment,
            by: RecordedActions(of: session),
            log: session.screenLog,
            clock: session.clock
        )
    }

    /// One use of the app by one page, the same when it is recorded and when it is replayed.
    ///
    /// - Parameters:
    ///   - environment: What the app needs, of the session.
    ///   - users: What is done on the screens.
    ///   - log: Where states and actions of the screens go.
    ///   - clock: Time since the session's start.
    ///   - onComplete: Called at the end of each flow.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    @MainActor
    public static func use(
        _ environment: FlowEnvironment,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock,
        onComplete: @escaping @MainActor @Sendable (CompletionResult) -> Void = { _ in }
    ) async throws -> Int64 {
        let app = FlowApp(environment)
        let page = FlowPage(app) { result, _ in onComplete(result) }
        let window = page.makeWindow()
        window.appear()
        defer { window.disappear() }
        let screens = ObservedScreens(window.screens, log: log)
        page.begin()
        return try await screens.use(by: users, clock: clock) {
            await page.screens.flow.send(.cancel)
            await app.shutdown()
        }
    }
}
