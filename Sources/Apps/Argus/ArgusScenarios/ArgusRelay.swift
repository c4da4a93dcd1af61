internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import SimulatedTransport
internal import Simulation

/// The relay is slow, down or cut off, and the hub appears at home and goes, while calls are under way.
public struct ArgusRelay: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-relay"
    /// One sentence.
    public static let summary =
        "a call ends where it began, the next takes the better way, and what a relay says in the place of a hub changes nothing"
    /// The hub is found by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "the hub appears at home during a call over the relay", "the relay answers with a page",
        "the relay is cut off", "neither way is there", "the relay is not needed at home",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen to the two ways, one after the other.")
    ]

    /// Things that happen to the two ways, one after the other.
    public var rounds = 10
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// How many events there are.
    private static let events = 3

    /// How the relay is.
    private enum Relay: CaseIterable {
        case open, slow, page, cut

        /// Whether a call comes through it.
        var works: Bool { self == .open || self == .slow }
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.project.events = (0..<Self.events).map { HubEvent.atHome($0) }
        options.project.tokenLifetime = 86_400
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        try await world.pair()
        // The token of the device is registered meanwhile.
        try await Task.sleep(for: .seconds(5))
        var relay = Relay.open
        for number in 0..<rounds {
            relay = Relay.allCases.randomElement() ?? .open
            set(relay, world)
            if Bool.random() {
                try await world.home.arrive()
            } else {
                await world.home.leave(HubPlace.Departure.allCases.randomElement() ?? .death)
            }
            // What has failed is passed over for five seconds, and a hub takes some to be found.
            try await Task.sleep(for: .seconds(12))
            try await load(world, relay)
            if relay == .slow, !world.home.isThere { try await appear(world, number) }
            try world.check()
            try await world.checkRoot()
            if Int.random(in: 0..<4) == 0 { try await world.restart() }
        }
        try await world.recover()
        try world.check()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount, "over the relay": world.relay.requests])
    }

    private func set(_ relay: Relay, _ world: ArgusWorld) {
        switch relay {
        case .open, .cut: world.relay.set(.open)
        case .slow: world.relay.set(.slow(.milliseconds(Int.random(in: 1_500...8_000))))
        case .page: world.relay.set(.page([502, 504, 524, 530].randomElement() ?? 502))
        }
        let pair = [AppWorld<ArgusPhone>.deviceName, ArgusWorld.relayName]
        world.base.network[pair[0], pair[1]].isPartitioned = relay == .cut
        sometimes("the relay answers with a page", relay == .page)
        sometimes("the relay is cut off", relay == .cut)
    }

    private func load(_ world: ArgusWorld, _ relay: Relay) async throws {
        let (requests, isHome) = (world.relay.requests, world.home.isThere)
        let (before, state) = try await list(world)
        try check(
            Set(state.rows.map(\.id)).isSubset(of: (0..<Self.events).map { "evt_\($0)" }),
            "what is listed is what the hub has said",
            "\(state.rows)"
        )
        try check(
            state.errorMessage == nil || state.rows.map(\.id) == before.rows.map(\.id),
            "what a relay says in the place of a hub changes nothing",
            "\(before.rows.count) rows, then \(state.rows.count)"
        )
        try world.base.checkUndisturbed(
            (state.errorMessage == nil) == (isHome || relay.works),
            "a call takes the way that works, and fails where none does",
            "\(relay), at home: \(isHome), \(state.errorMessage ?? "no error")"
        )
        if isHome {
            try world.base.checkUndisturbed(
                world.relay.requests == requests,
                "a hub that is found at home is reached at home",
                "\(world.relay.requests - requests) requests over the relay"
            )
        }
        sometimes("neither way is there", !isHome && !relay.works)
        sometimes("the relay is not needed at home", isHome && !relay.works)
    }

    /// The hub appears at home while a call is under way over a slow relay: it ends there, and the next one goes home.
    private func appear(_ world: ArgusWorld, _ number: Int) async throws {
        let (atRelay, atHome) = (lists(at: world.relay), lists(at: world.home.gate))
        let loading = Task { try await list(world).after }
        try await Task.sleep(for: .milliseconds(Int.random(in: 100...1_400)))
        try await world.home.arrive()
        sometimes("the hub appears at home during a call over the relay")
        let state = try await loading.value
        let requests = (lists(at: world.relay) - atRelay, lists(at: world.home.gate) - atHome)
        try world.base.checkUndisturbed(
            state.errorMessage == nil && requests == (1, 0),
            "a call that is under way ends where it began",
            "\(state.errorMessage ?? "no error"), \(requests.0) requests over the relay, \(requests.1) at home"
        )
        try await Task.sleep(for: .seconds(5))
        try await load(world, .slow)
    }

    /// How often pages of events were asked for there.
    private func lists(at gate: HubGate) -> Int { gate.paths.count { $0.hasSuffix("/events") } }

    private func list(
        _ world: ArgusWorld
    ) async throws -> (before: EventListViewModel.State, after: EventListViewModel.State) {
        try await world.onPhone(within: ArgusWorld.callLimit, "a list") { phone in
            let before = phone.screens.events.state
            await phone.screens.events.send(.load)
            return (before, phone.screens.events.state)
        }
    }
}
