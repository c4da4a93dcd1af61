internal import Foundation
public import ScreenKit
public import ServiceClient
public import Services
public import Transport

/// What Flow needs of the world.
public struct FlowEnvironment: Sendable {
    /// Makes requests.
    public var http: any HTTPClient
    /// Where the service is; asked before each request.
    public var address: @Sendable () -> ServiceAddress?
    /// The client that tokens are for.
    public var clientID: String
    /// Has the client's secret under ``APIManager/clientSecretName``, and keeps the token.
    public var secrets: any SecretStore
    /// Keeps the identity of the device.
    public var preferences: any PreferenceStore
    /// The device.
    public var device: any DeviceInformation

    /// An environment of its parts.
    public init(
        http: any HTTPClient,
        clientID: String,
        secrets: any SecretStore,
        preferences: any PreferenceStore,
        device: any DeviceInformation,
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        self.http = http
        self.address = address
        self.clientID = clientID
        self.secrets = secrets
        self.preferences = preferences
        self.device = device
    }
}

/// Onboarding in steps: what there is one of in each app.
@MainActor
public final class FlowApp {
    /// What the app knows of the present use.
    public nonisolated let session: SessionManager
    /// Begins and ends uses.
    public nonisolated let start: AppStartService
    /// The one way to the service.
    public nonisolated let api: any FlowAPI

    private let sent: SentAnalytics?
    private let repository: any FlowRepository

    /// Makes the app; nothing is sent before ``AppStartService/startServices(from:onComplete:)``.
    public convenience init(_ environment: FlowEnvironment) {
        let api = APIManager(
            environment.http,
            clientID: environment.clientID,
            secrets: environment.secrets,
            address: environment.address
        )
        self.init(api: api, device: environment.device, preferences: environment.preferences)
    }

    /// Makes the app over any of its layers, as tests of the others want it.
    ///
    /// - Parameters:
    ///   - api: The calls of the service.
    ///   - service: The service in the words of the app; that of `api` where none is given.
    ///   - analytics: Takes events; those of `api` where none is given.
    ///   - device: The device.
    ///   - preferences: Keeps the identity of the device.
    public init(
        api: any FlowAPI,
        service: (any FlowService)? = nil,
        analytics: (any AnalyticsService)? = nil,
        device: any DeviceInformation,
        preferences: any PreferenceStore
    ) {
        self.api = api
        session = SessionManager()
        let sent = analytics == nil ? SentAnalytics(api) : nil
        self.sent = sent
        repository = SessionRepository(
            session,
            service ?? APIFlowService(api),
            analytics ?? sent ?? NoAnalytics()
        )
        start = AppStartService(session, api, device: device, preferences: preferences)
        start.makeScreens = { [weak self] in self?.makeScreens() }
    }

    /// The screens of one window.
    public func makeScreens() -> FlowScreens { FlowScreens(session, start, repository) }

    /// Cancels a flow that is shown, and drops events that were not sent yet; a call that is under way ends by itself, and changes nothing.
    public func shutdown() async {
        start.cancel()
        await sent?.stop()
    }
}

/// All screens of one window.
@MainActor
public final class FlowScreens {
    /// Which part is shown.
    public let flow: FlowViewModel
    /// The welcome.
    public let splash: SplashViewModel
    /// Credentials and consents.
    public let authentication: AuthenticationViewModel
    /// The code.
    public let verification: VerificationViewModel
    /// Data.
    public let step1: StepViewModel<Step1Model>
    /// Additional data.
    public let step2: StepViewModel<Step2Model>
    /// Final data.
    public let step3: StepViewModel<Step3Model>

    init(_ session: SessionManager, _ start: AppStartService, _ repository: any FlowRepository) {
        flow = FlowViewModel(session, start)
        splash = SplashViewModel(start)
        authentication = AuthenticationViewModel(session, repository)
        verification = VerificationViewModel(session, repository)
        step1 = StepViewModel(session, repository, in: flow)
        step2 = StepViewModel(session, repository, in: flow)
        step3 = StepViewModel(session, repository, in: flow)
    }

    /// All of them by name, for pages and recordings.
    public var named: [EncodedScreen] {
        [
            EncodedScreen("flow", flow), EncodedScreen("splash", splash),
            EncodedScreen("authentication", authentication), EncodedScreen("verification", verification),
            EncodedScreen("step1", step1), EncodedScreen("step2", step2), EncodedScreen("step3", step3),
        ]
    }

    /// All of them are shown: their states follow the app.
    public func appear() {
        for screen in all { screen.appear() }
    }

    /// None of them is shown any more.
    public func disappear() {
        for screen in all { screen.disappear() }
    }

    private var all: [any Screen] {
        [flow, splash, authentication, verification, step1, step2, step3]
    }
}
