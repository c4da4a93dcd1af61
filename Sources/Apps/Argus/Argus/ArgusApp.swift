internal import Concurrency
public import ServiceClient
public import Services
public import Transport

/// What Argus needs of the world.
public struct ArgusEnvironment: Sendable {
    /// Makes requests.
    public var http: any HTTPClient
    /// Finds hubs on the local network.
    public var browser: any ServiceBrowser
    /// Where the hub is reached from everywhere; `nil` for a home without a relay.
    public var relay: ServiceAddress?
    /// Keeps the session and the name of this device.
    public var secrets: any SecretStore
    /// Receives notifications.
    public var push: any PushReceiver
    /// The device.
    public var device: any DeviceInformation
    /// Takes what has gone wrong and no screen shows; nothing takes it unless the app's surroundings do.
    public var log: ArgusLog = { _ in }

    /// An environment of its parts.
    public init(
        http: any HTTPClient,
        browser: any ServiceBrowser,
        relay: ServiceAddress?,
        secrets: any SecretStore,
        push: any PushReceiver,
        device: any DeviceInformation
    ) {
        (self.http, self.browser, self.relay) = (http, browser, relay)
        (self.secrets, self.push, self.device) = (secrets, push, device)
    }
}

/// A paired hub's events: what there is one of in each app.
@MainActor
public final class ArgusApp {
    /// The steps of a launch.
    public enum LaunchStep: String, Codable, Sendable, Hashable, CaseIterable {
        case keychain, discovery, auth, push
        case discoveryStarted, pushPermissionAsked, authenticationChecked
    }

    /// What is shown, beside what the session decides.
    struct Navigation: Sendable, Hashable {
        /// Whether the launch has found out if this device is paired.
        var isChecked = false
        /// The event whose detail is wanted; `nil` where none is.
        var eventID: String?
        /// The session in which it was wanted; `nil` where there was none, and it waits for one.
        var session: Int?
    }

    /// Keeps what is secret.
    public nonisolated let keychain: KeychainService
    /// Knows where the hub is.
    public nonisolated let discovery: DiscoveryService
    /// Pairs, and keeps tokens fresh.
    public let auth: AuthService
    /// The calls of the hub.
    public nonisolated let api: any HubAPI
    /// Notifications.
    public let push: PushService
    /// The pictures of events, which all windows share.
    public let thumbnails: EventThumbnails
    /// What the launch has done, in order.
    public private(set) var launchSteps: [LaunchStep] = []

    let navigation: Published<Navigation>
    private let shown = CurrentValue(Navigation())
    private let asking = OwnedTasks()

    /// Makes the app; nothing is read, asked or sent before ``launch()``.
    ///
    /// - Parameters:
    ///   - environment: What it needs of the world.
    ///   - api: The calls of the hub, as tests of the screens want them; the app's own where none are given.
    public init(_ environment: ArgusEnvironment, api: (any HubAPI)? = nil) {
        navigation = shown.published
        keychain = KeychainService(environment.secrets)
        launchSteps.append(.keychain)
        discovery = DiscoveryService(environment.browser, relay: environment.relay, keychain: keychain)
        launchSteps.append(.discovery)
        let device = environment.device
        auth = AuthService(environment.http, keychain: keychain, discovery: discovery) { device.modelName() }
        launchSteps.append(.auth)
        self.api = api ?? APIClient(environment.http, tokens: auth.tokens, discovery: discovery)
        push = PushService(environment.push, api: self.api, auth: auth, log: environment.log)
        thumbnails = EventThumbnails(self.api, auth)
        launchSteps.append(.push)
        push.open = { [weak self] id in self?.show(eventID: id) }
    }

    /// Looks for the hub, asks for the permission to notify, and finds out whether this device is paired: only that decides what is shown.
    public func launch() async {
        guard !launchSteps.contains(.discoveryStarted) else { return }
        discovery.startDiscovery()
        launchSteps.append(.discoveryStarted)
        push.start()
        let push = push
        // The question is on the screen before anything else is waited for.
        asking.replace(with: [Task.immediate { await push.requestAuthorization() }])
        launchSteps.append(.pushPermissionAsked)
        await auth.checkAuthentication()
        launchSteps.append(.authenticationChecked)
        let session = auth.isAuthenticated.value ? auth.session : nil
        // What was tapped before that, and has started the app, waits for a session where there is none.
        shown.update { ($0.isChecked, $0.session) = (true, session) }
    }

    /// Shows the detail of an event, now or as soon as this device is paired; `nil` closes it.
    ///
    /// With the session it is closed.
    public func show(eventID: String?) {
        let session = auth.isAuthenticated.value ? auth.session : nil
        shown.update { ($0.eventID, $0.session) = (eventID, session) }
    }

    /// Ends the session; where the store does not forget it, until the next launch.
    public func signOut() async {
        shown.update { $0.eventID = nil }
        try? await auth.signOut()
    }

    /// The screens of one window.
    public func makeScreens() -> ArgusScreens { ArgusScreens(self) }

    /// Ends what is under way; nothing is changed afterwards.
    public func shutdown() async {
        await asking.cancelAndWait()
        await push.stop()
        discovery.stop()
    }
}
