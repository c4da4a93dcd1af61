public import Argus
public import ArgusHub
internal import MulticastDNS
internal import PeerKit
public import ScenarioKit
internal import ServiceClient
internal import Services
internal import SimulatedDevice
internal import SimulatedPush
public import SimulatedTransport
internal import Simulation

/// What a world of Argus is to be like.
public struct ArgusOptions: Sendable {
    /// How the hub is set up.
    public var project: ArgusProject = ArgusProject()
    /// The links between all hosts.
    public var link: LinkConditions = LinkConditions(latency: .exponential(mean: .milliseconds(10)))
    /// Whether the hub is behind a relay, too.
    var hasRelay = true
    /// Takes a turn at what the app finds on the phone, before each launch.
    var adjust: ArgusAdjustment = { _ in }

    /// The usual world.
    public init() {}

    /// The usual world, whose hub speaks one of the dialects, by the seed.
    static func ofAnyDialect() -> ArgusOptions {
        var options = ArgusOptions()
        options.project.dialect = ArgusProject.Dialect.allCases.randomElement() ?? .seed
        return options
    }
}

/// Changes what the app finds on the phone: by it a test plants a mistake, which a property then has to notice.
package typealias ArgusAdjustment = @Sendable (_ environment: inout ArgusEnvironment) -> Void

/// A scenario of Argus, in whose world a test can plant a mistake.
package protocol ArgusScenario: Scenario {
    /// Changes what the app finds on the phone; nothing, unless a test says otherwise.
    var adjust: ArgusAdjustment { get set }
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
    /// the gate of the hub behind the relay.
    let relay: HubGate
    /// A hub of another home with the same name, which is on the network now and then.
    let stranger: HubPlace
    /// The notification centre of the phone.
    let push: SimulatedPushCentre
    /// What people tap there.
    let notices: PhoneNotices
    /// The way of pushes to the phone.
    let pushes: PushesToPhone
    /// What the phone keeps secret.
    let secrets: InMemorySecretStore
    /// What the app has sent.
    let watch: ArgusWatch

    /// The name of the relay's host.
    static let relayName = "relay"
    /// How long a call may take: a second for the search, half a minute for the call, and a second for what ends it.
    static let callLimit = Duration.seconds(32)
    /// How long a pairing may take: each hub that is found is asked, and the relay.
    static let pairingLimit = Duration.seconds(125)
    /// How long a code that was confirmed may take to pair: the app asks until it has ended.
    static let codeLimit = Duration.seconds(340)
    /// How long a launch may take to find out what to show.
    static let launchLimit = Duration.seconds(3)

    /// Builds the world, and launches the app; the hub is on the local network.
    ///
    /// - Throws: `OutsideASimulation`, and what the app throws when it is launched.
    public static func start(_ options: ArgusOptions = ArgusOptions()) async throws -> ArgusWorld {
        let token = (0..<32).map { UInt8($0) }
        let (push, pushes) = (SimulatedPushCentre(token: token), PushesToPhone())
        pushes.reach(push, by: Hexadecimal.encode(token))
        let hub = ArgusHub(options.project, pushes: pushes)
        var other = options.project
        other.hubID = "hub-of-another-home"
        other.signingSecret = "secret-of-another-home"
        let home = HubPlace(hub, id: options.project.hubID)
        let stranger = HubPlace(ArgusHub(other), id: other.hubID)
        let relay = HubGate(hub, home.ledger)
        let (secrets, watch, notices) = (InMemorySecretStore(), ArgusWatch(), PhoneNotices(push))
        let blueprint = Blueprint(
            peers: [WorldPeer(relayName, relay, faultPoints: ArgusHub.faultPoints)],
            hosts: [
                WorldHost("hub") { host in
                    home.stand(at: host)
                    try await home.arrive()
                },
                WorldHost("stranger") { stranger.stand(at: $0) },
            ],
            link: options.link
        ) { device in
            var environment = ArgusEnvironment(
                http: watch.client(over: device.transport),
                browser: MulticastDNSBrowser(on: device.transport),
                relay: options.hasRelay ? ServiceAddress(device.address(of: relayName)) : nil,
                secrets: secrets,
                push: notices,
                device: SimulatedDeviceInformation(),
                dialect: options.project.dialect == .hub ? .hub : .seed
            )
            options.adjust(&environment)
            return await ArgusPhone.start(environment)
        } shutdown: { phone in
            await phone.app.shutdown()
        }
        let base = try await AppWorld.start(blueprint)
        base.device.onEveryEnd { notices.end() }
        let phone = Phone(push: push, notices: notices, pushes: pushes, secrets: secrets, watch: watch)
        return ArgusWorld(base, home, relay, stranger, phone)
    }

    /// What belongs to the phone, and outlives the process of the app.
    private struct Phone {
        let push: SimulatedPushCentre
        let notices: PhoneNotices
        let pushes: PushesToPhone
        let secrets: InMemorySecretStore
        let watch: ArgusWatch
    }

    private init(
        _ base: AppWorld<ArgusPhone>,
        _ home: HubPlace,
        _ relay: HubGate,
        _ stranger: HubPlace,
        _ phone: Phone
    ) {
        hub = home.hub
        (self.base, self.home, self.relay, self.stranger) = (base, home, relay, stranger)
        (push, notices, pushes) = (phone.push, phone.notices, phone.pushes)
        (secrets, watch) = (phone.secrets, phone.watch)
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

    /// Runs code of the app on the phone, which has to end within a time.
    ///
    /// - Throws: `PropertyViolation` where it takes longer, and as `onPhone`.
    func onPhone<Value: Sendable>(
        within limit: Duration,
        _ what: String,
        _ body: @escaping @MainActor @Sendable (ArgusPhone) async throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        let value = try await onPhone(body)
        let passed = ContinuousClock.now - start
        try Self.hold(passed, within: limit, what)
        return value
    }

    /// Ends the process of the app, where that has not happened, and starts it again on what the phone has kept.
    func restart() async throws {
        let start = ContinuousClock.now
        try await base.restart()
        try Self.hold(ContinuousClock.now - start, within: Self.launchLimit, "a launch")
    }

    /// Ends the scenario where something was seen that may not be, at any time and whatever goes wrong.
    ///
    /// - Throws: `PropertyViolation`.
    func check() throws {
        try watch.check()
        let strange = home.ledger.strange + stranger.ledger.strange
        // Of two hubs that do not hear each other each keeps the one name, and what is found under it is a mixture of both.
        guard strange.isEmpty || !base.isDisturbed || !stranger.hasBeenThere else { return }
        try ScenarioKit.check(
            strange.isEmpty,
            "a token goes to no other hub than the one that has given it",
            "\(strange)"
        )
    }

    private static func hold(_ passed: Duration, within limit: Duration, _ what: String) throws {
        try ScenarioKit.check(
            passed <= limit,
            "what the app does ends within its bound",
            "\(what): \(passed)"
        )
    }
}

/// The app on a phone, with the screens of one window.
@MainActor
public final class ArgusPhone {
    /// The app.
    public nonisolated let app: ArgusApp
    /// Its screens; others after each reload.
    public private(set) var screens: ArgusScreens

    private init(_ environment: ArgusEnvironment) {
        app = ArgusApp(environment)
        screens = app.makeScreens()
        RunScreens.follow(screens.named)
        screens.appear()
    }

    /// Makes the app, and launches it.
    static func start(_ environment: ArgusEnvironment) async -> ArgusPhone {
        let phone = ArgusPhone(environment)
        await phone.app.launch()
        return phone
    }

    /// Closes the window and opens another one, as reloading a page does.
    func reload() {
        screens.disappear()
        screens = app.makeScreens()
        RunScreens.follow(screens.named)
        screens.appear()
    }
}
