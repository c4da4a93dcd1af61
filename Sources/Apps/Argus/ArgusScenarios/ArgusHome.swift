internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Services
internal import SimulatedTransport
internal import Simulation

/// A home in which the hub moves, dies and comes back, and a stranger has a hub of the same name, while a person uses the app.
public struct ArgusHome: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-home"
    /// One sentence.
    public static let summary =
        "wherever the hub is, its events are listed; no other hub is ever sent a token, and a session ends only where it is ended"
    /// Discovery is by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "the hub is reached on the local network", "the hub is reached over the relay",
        "the hub has died without a goodbye", "the hub has moved", "a stranger has a hub of the same name",
        "the process is killed", "a token is renewed", "the person signs out",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen in the home, one after the other.")
    ]

    /// Things that happen in the home, one after the other.
    public var rounds = 10
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What may happen.
    private enum Happening: CaseIterable {
        case hubSaysGoodbye, hubDies, hubArrives, strangerArrives, strangerLeaves, event, removal, time,
            revocation
        case kill, signOut
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.project.tokenLifetime = [60, 900, 3600].randomElement() ?? 900
        options.project.grace = .returnsSuccessor
        options.project.events = (0..<Int.random(in: 0...30)).map { HubEvent.atHome($0) }
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        var events = options.project.events.count
        try await world.pair()
        for _ in 0..<rounds {
            switch Happening.allCases.randomElement() ?? .time {
            case .hubSaysGoodbye: await world.home.leave(.goodbye)
            case .hubDies:
                sometimes("the hub has died without a goodbye", world.home.isThere)
                await world.home.leave(.death)
            case .hubArrives:
                sometimes("the hub has moved", !world.home.isThere)
                try await world.home.arrive()
            case .strangerArrives:
                try await world.stranger.arrive()
                sometimes("a stranger has a hub of the same name")
            case .strangerLeaves:
                await world.stranger.leave(HubPlace.Departure.allCases.randomElement() ?? .death)
            case .event:
                world.hub.add(.atHome(events))
                events += 1
            case .removal: if let oldest = world.hub.events.last { world.hub.removeEvent(oldest.id) }
            case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...1_000)))
            case .revocation: world.hub.revokeAccessTokens()
            case .kill:
                sometimes("the process is killed")
                try await world.restart()
            case .signOut:
                sometimes("the person signs out")
                try await world.signOut()
                try await world.pair()
            }
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000))) }
            try await look(world)
        }
        sometimes(
            "a token is renewed",
            world.hub.log.contains { if case .refreshed = $0 { true } else { false } }
        )
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount, "events": events])
    }

    /// Loads the list and its pages, and compares it with the hub.
    private func look(_ world: ArgusWorld) async throws {
        let start = ContinuousClock.now
        let (state, root, isLocal) = try await world.onPhone { phone in
            await phone.screens.events.send(.load)
            while phone.screens.events.state.hasMore, phone.screens.events.state.errorMessage == nil {
                await phone.screens.events.send(.loadMore)
            }
            let isLocal = phone.app.discovery.localDeviceURL.value != nil
            return (phone.screens.events.state, phone.screens.root.state, isLocal)
        }
        let passed = ContinuousClock.now - start
        // Four calls, each with its thirty seconds at most.
        try check(passed < .seconds(125), "a list is loaded, or fails, in bounded time", "\(passed)")
        let ids = state.rows.map(\.id)
        try RecordedArgus.listedOnce.check(state)
        try world.base.checkUndisturbed(
            root.root == .events,
            "a session ends only where it is ended",
            "\(root)"
        )
        try world.base.checkUndisturbed(
            state.errorMessage == nil && ids == world.hub.events.map(\.id),
            "the events of the hub are listed, wherever it is",
            "\(state.errorMessage ?? "") \(ids) for \(world.hub.events.map(\.id)), in \(passed)"
        )
        try world.check()
        sometimes("the hub is reached on the local network", isLocal && state.errorMessage == nil)
        sometimes("the hub is reached over the relay", !isLocal && state.errorMessage == nil)
    }
}
