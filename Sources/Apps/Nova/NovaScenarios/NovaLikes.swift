internal import Concurrency
internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person likes posts and takes likes back, on every screen and on a second device, while the service errs and the phone dies.
public struct NovaLikes: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-likes"
    /// One sentence.
    public static let summary =
        "a like is shown in the step of its tap, on every screen, and Nova has the last wish for a post in the end, or the app says that it was given up"
    /// What a sweep over it should reach.
    public static let expects = [
        "a post is tapped twice at once", "a second device likes", "a like is given up", "the phone dies",
        "the phone is offline", "a like is tapped in a profile", "a like is tapped in a detail",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen, one after the other.")
    ]

    /// Things that happen, one after the other.
    public var rounds = 25
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What may happen.
    private enum Happening: CaseIterable {
        case tap, taps, tapInDetail, tapInProfile, secondDevice, others, refresh, network, fault, revocation
        case death, time
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 1...25, adjust))
        var wishes = NovaWishes()
        for _ in 0..<rounds {
            try await happen(Happening.allCases.randomElement() ?? .time, world, &wishes)
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000))) }
            try await wishes.look(world)
        }
        try await world.recover()
        try await wishes.look(world)
        try await world.checkShown()
        try wishes.judge(world)
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount, "taps": wishes.count])
    }

    private func happen(_ happening: Happening, _ world: NovaWorld, _ wishes: inout NovaWishes) async throws {
        guard let post = world.nova.posts.randomElement() else { return }
        switch happening {
        case .tap: try await wishes.tap(post.id, .feed, world)
        case .taps:
            sometimes("a post is tapped twice at once")
            for _ in 0..<Int.random(in: 2...4) { try await wishes.tap(post.id, .feed, world) }
        case .tapInDetail: try await wishes.tap(post.id, .detail, world)
        case .tapInProfile: try await wishes.tap(post.id, .profile, world)
        case .secondDevice:
            sometimes("a second device likes")
            wishes.contest(post.id)
            if Bool.random() {
                world.nova.like(post.id, by: world.ada.id)
            } else {
                world.nova.unlike(post.id, by: world.ada.id)
            }
        case .others:
            let other = world.nova.project.users.dropFirst().randomElement()?.id ?? ""
            if Bool.random() {
                world.nova.like(post.id, by: other)
            } else {
                world.nova.unlike(post.id, by: other)
            }
        case .refresh:
            // In which somebody taps.
            let refresh = Task { try await world.onPhone { await $0.screens.feed.send(.refresh) } }
            if Bool.random() { try await wishes.tap(post.id, .feed, world) }
            do { try await refresh.value } catch is NodeCrashed {}
        case .network:
            sometimes("the phone is offline")
            if Bool.random() { world.base.goOffline() } else { world.base.goOnline() }
        case .fault: NovaTrouble.arm(NovaTrouble.ofLikes, world)
        case .revocation: world.nova.revokeAccessTokens()
        case .death:
            sometimes("the phone dies")
            try await NovaTrouble.die(world)
        case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...200)))
        }
    }
}
