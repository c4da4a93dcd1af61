package import Nova
internal import NovaServer
internal import PeerKit
internal import S3Server
package import ScenarioKit
internal import ServiceClient
internal import Services
internal import SimulatedDevice
internal import SimulatedDisk
internal import SimulatedTransport
internal import Simulation

/// Changes what the app finds on the phone: by it a test plants a mistake, which a property then has to notice.
package typealias NovaAdjustment = @Sendable (_ environment: inout NovaEnvironment) -> Void

/// A scenario of Nova, in whose world a test can plant a mistake.
package protocol NovaScenario: Scenario {
    /// Changes what the app finds on the phone; nothing, unless a test says otherwise.
    var adjust: NovaAdjustment { get set }
}

/// What a world of Nova is to be like.
struct NovaOptions: Sendable {
    /// How the service is set up.
    var project: NovaProject
    /// What the disk of the phone does when its power is cut.
    var disk = DiskConditions()
    /// Takes a turn at what the app finds on the phone, before each launch.
    var adjust: NovaAdjustment

    /// How many seconds Nova keeps the key of a call that has not ended.
    static let lease = 4_000

    /// A service by the seed, whose tokens end soon or late.
    ///
    /// Nothing is limited, since people of a simulation are quick. A call that has not ended keeps its key for longer than any call takes: a service
    /// that gives a key away while the first call is under way does things twice, whatever an app does.
    init(posts: ClosedRange<Int> = 0...45, _ adjust: @escaping NovaAdjustment) {
        project = .seeded(users: 5, posts: Int.random(in: posts), seed: UInt64.random(in: 1...1_000))
        project.tokenLifetime = [20, 300, 900, 86_400].randomElement() ?? 900
        project.grace = [0, 30].randomElement() ?? 0
        project.rates = .none
        project.idempotencyLease = Self.lease
        project.storageURL = "http://\(NovaWorld.storageName):80"
        if Bool.random() { disk = .losingUnsyncedWrites }
        self.adjust = adjust
    }
}

/// A phone with the app, Nova with its storage, and the network between them, inside the current simulation.
final class NovaWorld: Sendable {
    /// The world of the app and the services.
    let base: AppWorld<NovaPhone>
    let nova: NovaServer
    /// What the person picks from.
    let library: NovaLibrary
    /// What the app has sent.
    let watch: NovaWatch
    /// What the app has said in notices.
    let told: NovaTold
    /// The person whose phone it is.
    let ada: NovaUser
    /// What the phone keeps secret.
    let secrets: InMemorySecretStore

    /// The name of the service's host.
    static let serviceName = "nova"
    /// The name of the storage's host.
    static let storageName = "s3"
    /// How long a call may take that a person waits for: a minute and a half, and the renewal of a token.
    static let callLimit = Duration.seconds(185)
    /// How long a launch may take.
    static let launchLimit = Duration.seconds(3)

    /// Builds the world, launches the app, and signs Ada in.
    ///
    /// - Throws: `OutsideASimulation`, `PropertyViolation`, and what the app throws when it is launched.
    static func start(_ options: NovaOptions) async throws -> NovaWorld {
        let nova = NovaServer(options.project)
        let (secrets, watch, told, library) = (InMemorySecretStore(), NovaWatch(), NovaTold(), NovaLibrary())
        let adjust = options.adjust
        let blueprint = Blueprint(
            peers: [
                WorldPeer(serviceName, nova, faultPoints: NovaServer.faultPoints),
                WorldPeer(storageName, nova.storage, faultPoints: S3Server.faultPoints),
            ],
            link: LinkConditions(latency: .exponential(mean: .milliseconds(20))),
            disk: options.disk
        ) { device in
            let address = ServiceAddress(device.address(of: serviceName))
            var environment = NovaEnvironment(
                http: watch.client(over: device.transport),
                secrets: secrets,
                databasePath: device.databasePath("nova.sqlite"),
                network: device.network,
                photos: library
            ) { address }
            adjust(&environment)
            told.beginProcess()
            return try await NovaPhone.start(environment, told)
        } shutdown: { phone in
            await phone.app.shutdown()
        }
        let base = try await AppWorld.start(blueprint)
        let world = NovaWorld(base, nova, library, watch, told, secrets)
        try await world.signIn(world.ada)
        return world
    }

    private init(
        _ base: AppWorld<NovaPhone>,
        _ nova: NovaServer,
        _ library: NovaLibrary,
        _ watch: NovaWatch,
        _ told: NovaTold,
        _ secrets: InMemorySecretStore
    ) {
        (self.base, self.nova, self.library, self.watch, self.told) = (base, nova, library, watch, told)
        (self.secrets, ada) = (secrets, nova.project.users[0])
    }

    // MARK: The phone

    /// Runs code of the app on the phone, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    func onPhone<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (NovaPhone) async throws -> Value
    ) async throws -> Value {
        try await base.onDevice { try await body($0) }
    }

    /// Runs code of the app on the phone, which may die meanwhile: then it is switched on again.
    ///
    /// - Returns: `nil` where the phone has died before it was done; whether it was done is not known then.
    /// - Throws: What the code throws, and `PropertyViolation` where it takes too long.
    func attempt<Value: Sendable>(
        within limit: Duration = callLimit,
        _ what: String,
        _ body: @escaping @MainActor @Sendable (NovaPhone) async throws -> Value
    ) async throws -> Value? {
        let start = ContinuousClock.now
        do {
            let value = try await onPhone(body)
            let passed = ContinuousClock.now - start
            try check(passed <= limit, "what the app does ends within its bound", "\(what): \(passed)")
            return value
        } catch is NodeCrashed {
            try await switchOn()
            return nil
        }
    }

    /// Starts the app on what the phone has kept, and once more where the power goes meanwhile.
    ///
    /// - Throws: What the app throws when it is launched, and `PropertyViolation` where that takes too long.
    func switchOn() async throws {
        while true {
            let start = ContinuousClock.now
            do {
                try await base.restart()
                let passed = ContinuousClock.now - start
                try check(
                    passed <= Self.launchLimit,
                    "what the app does ends within its bound",
                    "a launch: \(passed)"
                )
                return
            } catch {
                guard !base.device.isAlive else { throw error }
            }
        }
    }

    /// Ends what a scenario holds against the phone, and the scenario where something was seen on the way that may not be.
    func check(_ condition: Bool, _ property: String, _ seen: @autoclosure () -> String) throws {
        try watch.check()
        try ScenarioKit.check(condition, property, seen())
    }

    /// Whether Nova may have something else than the last wish for a post.
    ///
    /// It has refused the wish, or processes have died in its work until none begins it again, or a late repetition of an older one has counted.
    func isGivenUp(_ postID: String) -> Bool {
        watch.isGivenUp(postID) || watch.hasSeveralWishes(postID) && hasStruck("nova.keysForgotten")
            || watch.launches > 3
                && told.texts.contains { $0.hasSuffix("was not saved. It could not be done.") }
    }

    /// Whether a fault of the service or its storage has happened in this run.
    func hasStruck(_ point: String) -> Bool {
        (Simulation.current?.report.firings ?? []).contains { $0.source.contains(point) }
    }
}
