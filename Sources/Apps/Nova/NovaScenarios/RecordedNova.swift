public import Foundation
public import Nova
internal import NovaPage
public import ScenarioKit
internal import ScreenKit
public import ServiceClient
public import Services
public import SessionRecording
internal import SimulatedDevice
public import Transport

/// A run of the program `nova` that was recorded, and runs again on its recording.
///
/// A run begins signed out, with nothing that waits. Photos that are picked are in the recording; the pictures of posts, which the page
/// fetches for itself, are not.
public struct RecordedNova: RecordedProgram {
    /// The name under which runs stand in recordings.
    public static let name = "nova"

    /// What its screens have in every run, that of a scenario too.
    public static let properties = [listedOnce]
    static let listedOnce = ScreenProperty(of: "feed", "no post is listed twice") {
        (state: FeedViewModel.State) in state.posts.map(\.id).hasNoDuplicates
    }

    /// The service.
    public let service: ServiceAddress
    /// What this device is called in the run, which stands in its messages and is no secret.
    public let deviceID: UUID

    /// Describes a run that is to be recorded, of a new device.
    public init(service: ServiceAddress) { (self.service, deviceID) = (service, UUID()) }

    /// Reads how a run was recorded.
    ///
    /// - Throws: `SessionError`.
    public init(_ session: SessionReader) throws {
        let parameters = session.manifest.parameters
        guard let service = parameters["service"].flatMap(ServiceAddress.init),
            let deviceID = parameters["deviceID"].flatMap(UUID.init)
        else {
            throw SessionError.damaged(path: session.path, detail: "it does not say which service it used")
        }
        (self.service, self.deviceID) = (service, deviceID)
    }

    /// How it is run, for the recording.
    public var parameters: [String: String] {
        ["service": "\(service)", "deviceID": deviceID.uuidString.lowercased()]
    }

    /// The most that calls, each with its limit, may take after the last thing that was recorded.
    public var patience: Duration { .seconds(3600) }

    /// What the app needs.
    ///
    /// - Parameters:
    ///   - http: Makes requests.
    ///   - secrets: Keeps the session; empty at the start.
    ///   - network: Knows whether there is a network.
    ///   - identities: Asks for identity tokens.
    public func environment(
        http: any HTTPClient,
        secrets: any SecretStore,
        network: RecordedNetworkMonitor,
        identities: RecordedIdentities
    ) -> NovaEnvironment {
        NovaEnvironment(
            http: http,
            secrets: KnownSecretStore(
                NovaApp.deviceName,
                is: deviceID.uuidString.lowercased(),
                others: secrets
            ),
            databasePath: ":memory:",
            network: network,
            identities: identities,
            photos: OfferedPhotos(),
            address: { service }
        )
    }

    /// Runs it again.
    public func run(on session: ReplayedSession) async throws {
        let network = RecordedNetworkMonitor(try session.device.calls(.network))
        let environment = environment(
            http: session.transport,
            secrets: InMemorySecretStore(),
            network: network,
            identities: RecordedIdentities(
                try session.device.calls(.identities),
                log: session.screenLog
            )
        )
        _ = try await Self.use(
            environment,
            network: network,
            by: RecordedActions(of: session),
            log: session.screenLog,
            clock: session.clock
        )
    }

    /// One use of the app by one page, the same when it is recorded and when it is replayed.
    ///
    /// - Parameters:
    ///   - environment: What the app needs, of the session.
    ///   - network: The network monitor in it.
    ///   - users: What is done on the screens.
    ///   - log: Where states and actions of the screens go.
    ///   - clock: Time since the session's start.
    ///   - deliver: Gets the photos that a page asks for.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    @MainActor
    public static func use(
        _ environment: NovaEnvironment,
        network: RecordedNetworkMonitor,
        by users: any UserActions,
        log: any ScreenLog,
        clock: SessionClock,
        deliver: @escaping @Sendable (_ request: Int, [UInt8]?) -> Void = { _, _ in }
    ) async throws -> Int64 {
        let app = try NovaApp(environment)
        let page = NovaPage(app, over: environment.http)
        let window = page.makeWindow()
        window.appear()
        defer { window.disappear() }
        let photos = EncodedScreen("photos", PhotoScreen(of: window, deliver: deliver))
        // What stands beside the app is no part of the session.
        let screens = ObservedScreens(
            window.screens.filter { $0.name != "surroundings" } + [photos],
            log: log
        )
        let following = Task { await network.follow() }
        let launching = Task { await app.launch() }
        return try await screens.use(by: users, clock: clock) {
            await launching.value
            await page.leave()
            await app.shutdown()
            following.cancel()
            await following.value
        }
    }
}
