internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person comments, repeats what has failed and takes comments back, while answers are lost and the phone dies.
public struct NovaComments: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-comments"
    /// One sentence.
    public static let summary =
        "a comment is listed at once and once, and Nova has it once, in its place, or it is shown as failed"
    /// What a sweep over it should reach.
    public static let expects = [
        "a comment is taken back", "a comment is repeated", "the phone dies", "the phone is offline",
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
        case comment, comments, change, others, read, network, fault, death, time
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 2...6, adjust))
        var remarks = NovaRemarks()
        // Few, so that some have many comments.
        let ids = world.nova.posts.prefix(3).map(\.id)
        for _ in 0..<rounds {
            try await happen(
                Happening.allCases.randomElement() ?? .time,
                ids.randomElement() ?? "",
                world,
                &remarks
            )
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000))) }
            try await remarks.look(world)
        }
        try await world.recover()
        try await remarks.judge(world)
        try await world.checkShown()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount, "comments": remarks.count])
    }

    private func happen(
        _ happening: Happening,
        _ postID: String,
        _ world: NovaWorld,
        _ remarks: inout NovaRemarks
    ) async throws {
        switch happening {
        case .comment: try await remarks.write(on: postID, world)
        case .comments: for _ in 0..<Int.random(in: 2...4) { try await remarks.write(on: postID, world) }
        case .change: try await remarks.change(world)
        case .others:
            let other = world.nova.project.users.dropFirst().randomElement()?.id ?? ""
            for number in 0..<Int.random(in: 1...15) {
                world.nova.comment(postID, by: other, text: "Seen \(number) times.")
            }
        case .read:
            _ = try await world.attempt("comments") { phone in
                await phone.screens.comments.send([.load, .loadMore].randomElement() ?? .load)
            }
        case .network:
            sometimes("the phone is offline")
            if Bool.random() { world.base.goOffline() } else { world.base.goOnline() }
        case .fault: NovaTrouble.arm(NovaTrouble.ofCreating, world)
        case .death:
            sometimes("the phone dies")
            try await NovaTrouble.die(world)
        case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...200)))
        }
    }
}
