internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation
internal import Transport

/// The hub moves, leaves and comes back, with a goodbye and without one, while calls are under way; somebody takes its old address.
public struct ArgusHubMoves: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-hub-moves"
    /// One sentence.
    public static let summary =
        "a hub that moves is reached where it is, or over the relay, and nothing more goes to an address that it has left"
    /// Discovery is by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "the hub leaves during a call", "the hub moves during a call", "the hub dies without a goodbye",
        "the hub crashes and stays announced",
        "somebody has the old address", "a call is answered at home", "a call is answered over the relay",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Moves, one after the other.")
    ]

    /// Moves, one after the other.
    public var rounds = 8
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What the hub does during a call.
    private enum Move: CaseIterable {
        case nothing, leaves, moves, arrives, killed
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.project.events = (0..<3).map { HubEvent.atHome($0) }
        options.project.grace = .returnsSuccessor
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        try await world.pair()
        for _ in 0..<rounds {
            let move = Move.allCases.randomElement() ?? .nothing
            let atRelay = world.relay.requests
            try await load(world, while: move)
            sometimes("a call is answered over the relay", world.relay.requests > atRelay)
            sometimes("a call is answered at home", world.relay.requests == atRelay)
            try world.check()
            try await world.checkRoot()
            if move == .moves { try await squat(world) }
            if Bool.random() { try await Task.sleep(for: .seconds(Int.random(in: 0...200))) }
        }
        try await world.recover()
        try await world.home.arrive()
        try await Task.sleep(for: .seconds(30))
        // The first may go over a connection that stands still.
        _ = try await list(world)
        let error = try await list(world)
        try check(error == nil, "when all is well again the hub is reached", error ?? "")
        try world.check()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount])
    }

    /// Loads the list while the hub does something.
    private func load(_ world: ArgusWorld, while move: Move) async throws {
        let loading = Task { try await list(world) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...80)))
        let departure = HubPlace.Departure.allCases.randomElement() ?? .death
        switch move {
        case .nothing: break
        case .leaves:
            sometimes("the hub leaves during a call", world.home.isThere)
            sometimes("the hub dies without a goodbye", world.home.isThere && departure == .death)
            sometimes("the hub crashes and stays announced", world.home.isThere && departure == .crash)
            await world.home.leave(departure)
        case .moves:
            sometimes("the hub moves during a call", world.home.isThere)
            await world.home.leave(departure)
            try await world.home.arrive()
        case .arrives: try await world.home.arrive()
        case .killed: world.base.device.crash()
        }
        do {
            let error = try await loading.value
            try world.base.checkUndisturbed(
                error == nil,
                "a call reaches the hub where it is, or over the relay",
                "\(move): \(error ?? "")"
            )
        } catch is NodeCrashed {}
        if move == .killed { try await world.restart() }
        // And the next one.
        let error = try await list(world)
        try world.base.checkUndisturbed(
            error == nil,
            "a call reaches the hub where it is, or over the relay",
            "after \(move): \(error ?? "")"
        )
    }

    /// Loads the list, and says how that has failed.
    private func list(_ world: ArgusWorld) async throws -> String? {
        try await world.onPhone(within: ArgusWorld.callLimit, "a list") { phone in
            await phone.screens.events.send(.load)
            return phone.screens.events.state.errorMessage
        }
    }

    /// Somebody has the address that the hub has left for another one.
    private func squat(_ world: ArgusWorld) async throws {
        guard world.home.isThere else { return }
        // What is heard of the new address takes the old one away within a second.
        try await Task.sleep(for: .seconds(3))
        let squatter = ArgusHub()
        let place = try await world.home.giveOldPort(to: squatter)
        sometimes("somebody has the old address")
        for _ in 0..<3 {
            _ = try await list(world)
            try await Task.sleep(for: .seconds(Int.random(in: 0...10)))
        }
        try world.base.checkUndisturbed(
            squatter.requestCount == 0,
            "nothing goes to an address that the hub has left",
            "\(squatter.log)"
        )
        await place.stop()
    }
}
