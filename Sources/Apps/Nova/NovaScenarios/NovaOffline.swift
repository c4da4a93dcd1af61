internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person goes on for up to a week without a network, in which the phone dies, and comes back.
public struct NovaOffline: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-offline"
    /// One sentence.
    public static let summary =
        "what is done without a network is shown and kept over restarts, and Nova has it once when the network is back; what is older than a day is asked about"
    /// What a sweep over it should reach.
    public static let expects = [
        "a comment has failed", "the phone dies", "a week passes", "the phone is online for a moment",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting(
            "rounds",
            \.rounds,
            in: 1...1_000,
            "Things that happen without a network, one after the other."
        )
    ]

    /// Things that happen without a network, one after the other.
    public var rounds = 20
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What may happen.
    private enum Happening: CaseIterable {
        case tap, comment, publish, moment, death, minutes, hours
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 2...20, adjust))
        var (wishes, remarks, album) = (NovaWishes(), NovaRemarks(), NovaAlbum())
        world.base.goOffline()
        for _ in 0..<rounds {
            switch Happening.allCases.randomElement() ?? .minutes {
            case .tap:
                let post = world.nova.posts.randomElement()?.id ?? ""
                try await wishes.tap(post, [.feed, .detail].randomElement() ?? .feed, world)
            case .comment:
                guard remarks.count < 10 else { continue }
                try await remarks.write(on: world.nova.posts.randomElement()?.id ?? "", world)
            case .publish: if Int.random(in: 0..<3) == 0 { try await album.publish(world) }
            case .moment:
                sometimes("the phone is online for a moment")
                world.base.goOnline()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
                world.base.goOffline()
            case .death:
                sometimes("the phone dies")
                try await NovaTrouble.die(world)
            case .minutes: try await Task.sleep(for: .seconds(Int.random(in: 1...1_000)))
            case .hours where Int.random(in: 0..<12) == 0:
                sometimes("a week passes")
                try await Task.sleep(for: .seconds(604_800))
            case .hours: try await Task.sleep(for: .seconds(Int.random(in: 3_600...20_000)))
            }
            try await wishes.look(world)
        }
        try await world.recover()
        if try await remarks.repeatAll(world) { try await world.recover() }
        try await wishes.look(world)
        try await remarks.judge(world)
        try await album.judge(world)
        try await world.checkShown()
        try wishes.judge(world)
        try await world.base.shutdown()
        let figures: KeyValuePairs = [
            "requests": world.nova.requestCount, "taps": wishes.count, "comments": remarks.count,
        ]
        return ScenarioSummary(figures)
    }
}
