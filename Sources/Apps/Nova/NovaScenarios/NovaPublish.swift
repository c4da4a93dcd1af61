internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person publishes pictures while addresses end, answers are lost, and the phone dies between presign, upload and post.
public struct NovaPublish: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-publish"
    /// One sentence.
    public static let summary =
        "a picture that was published is there once, as it was edited, or is shown as failed; what was not prepared is not there"
    /// What a sweep over it should reach.
    public static let expects = [
        "a publication is not prepared", "a publication is repeated", "the phone dies in a publication",
        "the phone is offline", "an address has ended",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen, one after the other.")
    ]

    /// Things that happen, one after the other.
    public var rounds = 15
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What may happen.
    private enum Happening: CaseIterable {
        case publish, publishAndDie, publishOffline, change, network, fault, death, time
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 0...5, adjust))
        var album = NovaAlbum()
        for _ in 0..<rounds {
            try await happen(Happening.allCases.randomElement() ?? .time, world, &album)
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000))) }
            try world.watch.check()
        }
        try await world.recover()
        try await album.judge(world)
        try await world.checkShown()
        sometimes("an address has ended", world.hasStruck("nova.presignShort"))
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount, "pictures": album.count])
    }

    private func happen(_ happening: Happening, _ world: NovaWorld, _ album: inout NovaAlbum) async throws {
        switch happening {
        case .publish: try await album.publish(world)
        case .publishAndDie:
            sometimes("the phone dies in a publication")
            let device = world.base.device
            let death = Task {
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
                device.crash()
            }
            try await album.publish(world)
            _ = try? await death.value
            if !device.isAlive { try await world.switchOn() }
        case .publishOffline:
            let network = world.base
            let outage = Task {
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...400)))
                network.goOffline()
                try await Task.sleep(for: .seconds(Int.random(in: 1...300)))
                network.goOnline()
            }
            try await album.publish(world)
            _ = try? await outage.value
        case .change: try await album.change(world)
        case .network:
            sometimes("the phone is offline")
            if Bool.random() { world.base.goOffline() } else { world.base.goOnline() }
        case .fault: NovaTrouble.arm(NovaTrouble.ofPublishing, world)
        case .death: try await NovaTrouble.die(world)
        case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...1_200)))
        }
    }
}
