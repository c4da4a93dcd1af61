public import Argus
internal import ArgusPage
public import Foundation
public import ScenarioKit
internal import ScreenKit
public import ServiceClient
public import Services
public import SessionRecording
internal import SimulatedDevice
public import Transport

/// A run of the program `argus` that was recorded, and runs again on its recording.
///
/// The hub is one whose address is known: what multicast DNS finds, and notifications, are in no recording. A run begins unpaired.
public struct RecordedArgus: RecordedProgram {
    /// The name under which runs stand in recordings.
    public static let name = "argus"

    /// What its screens have in every run, that of a scenario too.
    public static let properties = [listedOnce]
    static let listedOnce = ScreenProperty(of: "events", "no event is listed twice") {
        (state: EventListViewModel.State) in state.rows.map(\.id).hasNoDuplicates
    }

    /// The hub on the local network.
    public let hub: ServiceAddress
    /// Where it is reached from everywhere; `nil` for a home without a relay.
    public let relay: ServiceAddress?
    /// What the hub speaks.
    public let dialect: HubDialect
    /// What this device is called in the run, which stands in its messages and is no secret.
    public let deviceID: UUID

    /// Describes a run that is to be recorded, of a new device.
    public init(hub: ServiceAddress, relay: ServiceAddress?, dialect: HubDialect) {
        (self.hub, self.relay, self.dialect, deviceID) = (hub, relay, dialect, UUID())
    }

    /// Reads how a run was recorded.
    ///
    /// - Throws: `SessionError`.
    public init(_ session: SessionReader) throws {
        let parameters = session.manifest.parameters
        guard let hub = parameters["hub"].flatMap(ServiceAddress.init),
            let dialect = parameters["dialect"].flatMap(HubDialect.init),
            let deviceID = parameters["deviceID"].flatMap(UUID.init)
        else {
            throw SessionError.damaged(path: session.path, detail: "it does not say which hub it used")
        }
        (self.hub, self.dialect, self.deviceID) = (hub, dialect, deviceID)
        relay = parameters["relay"].flatMap(ServiceAddress.init)
    }

    /// How it is run, for the recording.
    public var parameters: [String: String] {
        var parameters = [
            "hub": "\(hub)", "dialect": dialect.rawValue, "deviceID": deviceID.uuidString.lowercased(),
        ]
        if let relay { parameters["relay"] = "\(relay)" }
        return parameters
    }

    /// The most that calls, each with its limit, may take after the last thing that was recorded.
    public var patience: Duration { .seconds(3600) }

    /// What the app needs.
    ///
    /// - Parameters:
    ///   - http: Makes requests, those to find the hub too.
    ///   - secrets: Keeps the session; empty at the start.
    ///   - device: The device.
    public func environment(
        http: any HTTPClient,
        secrets: any SecretStore,
        device: any DeviceInformation
    ) -> ArgusEnvironment {
        ArgusEnvironment(
            http: http,
            browser: KnownHub(at: hub, http: http),
            relay: relay,
            secrets: KnownSecretStore(
                KeychainService.deviceName,
                is: deviceID.uuidString.lowercased(),
                others: secrets
            ),
            push: WithoutNotifications(),
            device: device,
            dialect: dialect
        )
    }

    /// Runs it again.
    public func run(on session: ReplayedSession) async throws {
        let environment = environment(
            http: session.transport,
            secrets: InMemorySecretStore(),
            device: try session.deviceInformation()
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
    ///   - deliver: Gets the pictures of events that a page asks for.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    @MainActor
    public static func use(
        _ environment: ArgusEnvironment,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock,
        deliver: @escaping @Sendable (_ request: Int, [UInt8]?) -> Void = { _, _ in }
    ) async throws -> Int64 {
        let app = ArgusApp(environment)
        let window = ArgusPage(app).makeWindow()
        window.appear()
        defer { window.disappear() }
        let thumbnails = EncodedScreen("thumbnails", ThumbnailScreen(of: window, deliver: deliver))
        // The home stands beside the app, and is no part of the session.
        let screens = ObservedScreens(window.screens.filter { $0.name != "home" } + [thumbnails], log: log)
        let launching = Task { await app.launch() }
        return try await screens.use(by: users, clock: clock) {
            await app.shutdown()
            await launching.value
        }
    }
}
