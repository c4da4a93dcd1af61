public import Argus
public import ArgusHub
internal import MulticastDNS
public import ScenarioKit
internal import ServiceClient
internal import Services
internal import SimulatedDevice
internal import SimulatedPush
public import SimulatedTransport

/// What a world of Argus is to be like.
public struct ArgusOptions: Sendable {
    /// How the hub is set up.
    public var project: ArgusProject = ArgusProject()
    /// The links between all hosts.
    public var link: LinkConditions = LinkConditions(latency: .exponential(mean: .milliseconds(10)))

    /// The usual world.
    public init() {}
}

/// A phone with the app, a hub that is found on the local network, the relay behind which it is, too, and the network between them, inside
/// the current simulation.
public final class ArgusWorld: Sendable {
    /// The world of the app and the relay.
    public let base: AppWorld<ArgusPhone>
    /// The hub of this home.
    public let hub: ArgusHub
    /// The hub's place on the local network.
    let home: HubPlace
    /// A hub of another home with the same name, which is on the network now and then.
    let stranger: HubPlace
    /// The notification centre of the phone.
    let push: SimulatedPushCentre

    /// The name of the relay's host.
    static let relay = "relay"

    /// Builds the world, and launches the app; the hub is on the local network.
    ///
    /// - Throws: `OutsideASimulation`, and what the app throws when it is launched.
    public static func start(_ options: ArgusOptions = ArgusOptions()) async throws -> ArgusWorld {
        let push = SimulatedPushCentre(token: (0..<32).map { UInt8($0) })
        let hub = ArgusHub(options.project, pushes: PushesToPhone(push))
        var other = options.project
        other.hubID = "hub-of-another-home"
        let home = HubPlace(hub, id: options.project.hubID)
        let stranger = HubPlace(ArgusHub(other), id: other.hubID)
        let secrets = InMemorySecretStore()
        let blueprint = Blueprint(
            peers: [WorldPeer(relay, hub, faultPoints: ArgusHub.faultPoints)],
            hosts: [
                WorldHost("hub") { host in
                    home.stand(at: host)
                    try await home.arrive()
                },
                WorldHost("stranger") { stranger.stand(at: $0) },
            ],
            link: options.link
        ) { device in
            let environment = ArgusEnvironment(
                http: device.transport,
                browser: MulticastDNSBrowser(on: device.transport),
                relay: ServiceAddress(device.address(of: relay)),
                secrets: secrets,
                push: push,
                device: SimulatedDeviceInformation()
            )
            return await ArgusPhone.start(environment)
        } shutdown: { phone in
            await phone.app.shutdown()
        }
        return ArgusWorld(try await AppWorld.start(blueprint), hub, home, stranger, push)
    }

    private init(
        _ base: AppWorld<ArgusPhone>,
        _ hub: ArgusHub,
        _ home: HubPlace,
        _ stranger: HubPlace,
        _ push: SimulatedPushCentre
    ) {
        (self.base, self.hub, self.home, self.stranger, self.push) = (base, hub, home, stranger, push)
    }

    /// Takes the hub off the local network; behind the relay it is still there.
    ///
    /// - Parameter sayingGoodbye: Whether it withdraws its advertisement; else it ends as in a crash.
    public func leaveHome(sayingGoodbye: Bool) async { await home.leave(sayingGoodbye ? .goodbye : .death) }

    /// Runs code of the app on the phone, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    public func onPhone<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (ArgusPhone) async throws -> Value
    ) async throws -> Value {
        try await base.onDevice { try await body($0) }
    }
}

/// The app on a phone, with the screens of one window.
@MainActor
public final class ArgusPhone {
    /// The app.
    public nonisolated let app: ArgusApp
    /// Its screens.
    public let screens: ArgusScreens

    private init(_ environment: ArgusEnvironment) {
        app = ArgusApp(environment)
        screens = app.makeScreens()
        screens.appear()
    }

    /// Makes the app, and launches it.
    static func start(_ environment: ArgusEnvironment) async -> ArgusPhone {
        let phone = ArgusPhone(environment)
        await phone.app.launch()
        return phone
    }
}
