internal import Nova
internal import NovaServer
internal import PeerKit
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import SimulatedDisk
internal import Simulation

/// Posts appear by the dozen, the app goes to the background and dies, and batches of events are lost, refused and repeated.
public struct NovaAnalytics: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-analytics"
    /// One sentence.
    public static let summary =
        "events come in their order and once, none is lost but with its process, and a batch that is refused does not stop the next"
    /// What a sweep over it should reach.
    public static let expects = [
        "a batch is full", "a batch is refused", "the app goes to the background", "the phone dies",
        "the phone is offline",
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
        case some, many, background, network, fault, death, time
    }

    /// What was tracked, and what may have been lost.
    private struct Tracked {
        var names: [String] = []
        /// The first events of all processes, by their numbers.
        var launches = [0]
        /// Of what was tracked before, some may be lost with its process.
        var safeFrom: Int { launches.last ?? 0 }
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 0...3, adjust))
        var tracked = Tracked()
        for _ in 0..<rounds {
            try await happen(Happening.allCases.randomElement() ?? .time, world, &tracked)
            try check(tracked, isEnd: false, world)
        }
        world.base.heal()
        world.base.disk.keepPower()
        world.base.goOnline()
        if !world.base.device.isAlive { try await die(world, &tracked) }
        // A batch whose first try has come to nothing is refused as being done until that is forgotten.
        try await Task.sleep(for: .seconds(NovaOptions.lease + 300))
        try check(tracked, isEnd: true, world)
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount, "events": tracked.names.count])
    }

    private func happen(_ happening: Happening, _ world: NovaWorld, _ tracked: inout Tracked) async throws {
        switch happening {
        case .some: try await track(Int.random(in: 1...5), world, &tracked)
        case .many:
            sometimes("a batch is full")
            try await track(Int.random(in: 40...120), world, &tracked)
        case .background:
            sometimes("the app goes to the background")
            let start = ContinuousClock.now
            try await run(world, &tracked) { await $0.app.enterBackground() }
            let passed = ContinuousClock.now - start
            try world.check(
                passed < .milliseconds(5_500),
                "the app leaves for the background within five seconds",
                "\(passed)"
            )
            if Bool.random() { try await run(world, &tracked) { await $0.app.enterForeground() } }
        case .network:
            sometimes("the phone is offline")
            if Bool.random() { world.base.goOffline() } else { world.base.goOnline() }
        case .fault:
            let points = [
                "nova.500", "nova.429", "nova.answerLost", "nova.answerCut", "nova.html",
                "nova.409InProgress",
            ]
            if Int.random(in: 0..<4) == 0 {
                sometimes("a batch is refused")
                world.base.arm("nova.analytics.400", atMost: 1)
            } else {
                NovaTrouble.arm(points, world)
            }
        case .death:
            sometimes("the phone dies")
            world.base.device.crash()
            try await die(world, &tracked)
        case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...100)))
        }
    }

    /// Switches the phone on again: what was in memory is lost.
    private func die(_ world: NovaWorld, _ tracked: inout Tracked) async throws {
        try await world.switchOn()
        tracked.launches.append(tracked.names.count)
    }

    private func run(
        _ world: NovaWorld,
        _ tracked: inout Tracked,
        _ body: @escaping @MainActor @Sendable (NovaPhone) async -> Void
    ) async throws {
        guard try await world.attempt("the app", body) == nil else { return }
        tracked.launches.append(tracked.names.count)
    }

    /// Has posts appear: each is an event of its own.
    private func track(_ count: Int, _ world: NovaWorld, _ tracked: inout Tracked) async throws {
        let names = (0..<count).map { "seen-\(tracked.names.count + $0)" }
        tracked.names += names
        try await run(world, &tracked) { phone in
            for name in names { await phone.screens.feed.send(.appeared(postID: name)) }
        }
    }

    /// Ends the scenario where events have come twice, in another order, or not at all.
    private func check(_ tracked: Tracked, isEnd: Bool, _ world: NovaWorld) throws {
        let there = world.nova.analytics.filter { $0["name"]?.string == "post_impression" }
            .compactMap { $0["parameters"]?["post_id"]?.string }
        try world.check(there.hasNoDuplicates, "no event is there twice", "\(there)")
        let order = Dictionary(uniqueKeysWithValues: tracked.names.enumerated().map { ($1, $0) })
        // A batch that was refused is given up; where an earlier try is under way for long, it may come behind the next one.
        let sentBatches = world.watch.sent.filter { $0.path == "/analytics/events" }
        let refusedKeys = Set(sentBatches.filter { $0.status == 400 }.compactMap(\.key))
        let refused = sentBatches.filter { $0.key.map(refusedKeys.contains) == true }
            .map { String(decoding: $0.body, as: UTF8.self) }
        let places = there.filter { name in !refused.contains { $0.contains("\"\(name)\"") } }
            .map { order[$0] ?? -1 }
        // What is under way for long, and the process has not outlived, comes behind events of the next process.
        let processes =
            world.hasStruck(".slow")
            ? Array(Dictionary(grouping: places) { place in tracked.launches.count { $0 <= place } }.values)
            : [places]
        try world.check(
            processes.allSatisfy { $0 == $0.sorted() },
            "events are there in their order",
            "\(there)"
        )
        guard isEnd, !world.hasStruck("nova.analytics.400"), tracked.names.count < 900 else { return }
        let missed = Set(tracked.names.dropFirst(tracked.safeFrom)).subtracting(there)
        let sent = world.watch.sent.filter { $0.path == "/analytics/events" }
            .map { "\($0.launch) \($0.key?.prefix(4) ?? "") \($0.status.map { "\($0)" } ?? "no answer")" }
        try world.check(
            missed.isEmpty,
            "no event is lost but with its process",
            "without \(missed.sorted()), sent: \(sent)"
        )
    }
}
