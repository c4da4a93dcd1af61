internal import AppKernel
public import Flow
public import FlowServer
public import ScenarioKit
internal import ServiceClient
public import Services
internal import SimulatedDevice
public import SimulatedTransport
internal import Simulation
internal import Synchronization

/// What a world of Flow is to be like.
public struct FlowOptions: Sendable {
    /// How the backend is set up.
    public var project: FlowProject = FlowProject()
    /// The links between phone and backend.
    public var link: LinkConditions = LinkConditions(latency: .exponential(mean: .milliseconds(20)))
    /// How long the provider of the public address takes, whether the app waits for it or not.
    public var addressTime: Duration = .milliseconds(50)
    /// What the phone keeps secret, beside the client's secret.
    public var secrets: [String: Secret] = [:]

    /// The usual world.
    public init() {}
}

/// A phone with the app, its backend and the network between them, inside the current simulation.
public final class FlowWorld: Sendable {
    /// The world of app and backend.
    public let base: AppWorld<FlowPhone>
    /// The backend.
    public let server: FlowServer

    /// The name of the backend's host.
    static let backend = "flow"

    /// Builds the world, starts the backend, and launches the app; no flow is shown yet.
    ///
    /// - Throws: `OutsideASimulation`, and what the app throws when it is launched.
    public static func start(_ options: FlowOptions = FlowOptions()) async throws -> FlowWorld {
        let server = FlowServer(options.project)
        let secrets = InMemorySecretStore()
        try secrets.set(Secret(options.project.clientSecret), named: APIManager.clientSecretName)
        for (name, secret) in options.secrets { try secrets.set(secret, named: name) }
        let blueprint = Blueprint(
            peers: [WorldPeer(backend, server, faultPoints: FlowServer.faultPoints)],
            link: options.link
        ) { device in
            try await FlowPhone(options, on: device, secrets: secrets)
        } shutdown: { phone in
            await phone.app.shutdown()
        }
        return FlowWorld(try await AppWorld.start(blueprint), server)
    }

    private init(_ base: AppWorld<FlowPhone>, _ server: FlowServer) {
        self.base = base
        self.server = server
    }

    /// The phone, since its last start.
    public var phone: FlowPhone { base.app }

    /// Runs code of the app on the phone, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    public func onPhone<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (FlowPhone) async throws -> Value
    ) async throws -> Value {
        try await base.onDevice { try await body($0) }
    }
}

/// The app on a phone, and the place where it shows its flow.
@MainActor
public final class FlowPhone: FlowHost {
    /// The app.
    public nonisolated let app: FlowApp
    /// The screens that are shown; `nil` while none are.
    public private(set) var screens: FlowScreens?
    /// How flows have ended, oldest first, and what had been collected.
    public private(set) var results: [(result: CompletionResult, data: DataModel)] = []

    init(_ options: FlowOptions, on device: WorldDevice, secrets: any SecretStore) async throws {
        let address = ServiceAddress(device.address(of: FlowWorld.backend))
        app = FlowApp(
            FlowEnvironment(
                http: device.transport,
                clientID: options.project.clientID,
                secrets: secrets,
                preferences: try SQLitePreferenceStore(AppDatabase(path: device.databasePath("flow.sqlite"))),
                device: SimulatedDeviceInformation(after: options.addressTime)
            ) { address }
        )
    }

    /// Shows a new flow.
    public func begin() {
        app.start.startServices(from: self) { [weak self] result, data in
            self?.results.append((result, data))
        }
    }

    /// Shows the screens of a window.
    public func show(_ screens: FlowScreens) {
        RunScreens.follow(screens.named)
        screens.appear()
        self.screens = screens
    }

    /// Shows none any more.
    public func dismiss() {
        screens?.disappear()
        screens = nil
    }

    /// Closes the window and opens another one, as reloading a page does.
    public func reload() {
        guard let old = screens else { return }
        old.disappear()
        show(app.makeScreens())
    }
}
