internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// Two hubs of one name, which come, go and move, and a person who pairs with one and then with the other; there is no relay.
public struct ArgusTwinHubs: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-twin-hubs"
    /// One sentence.
    public static let summary =
        "of two hubs with one name the one that has taken the code is used, and each gets its own tokens alone"
    /// Discovery is by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "both hubs are there", "the other hub alone is there", "the device is paired with the twin",
        "another hub is paired during a call", "another hub is paired during a renewal",
        "the process is killed",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen, one after the other.")
    ]

    /// Things that happen, one after the other.
    public var rounds = 10
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// How long a hub takes to find a name of its own, and to be found.
    private static let discovery = Duration.seconds(6)

    private enum Happening: CaseIterable {
        case arrival, departure, pairing, time, revocation, kill
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.hasRelay = false
        options.project.tokenLifetime = [60, 900].randomElement() ?? 900
        options.project.grace = .returnsSuccessor
        options.project.wrongAttemptLimit = 1_000
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        let places = [world.home, world.stranger]
        for (number, place) in places.enumerated() {
            place.hub.add(.atHome(100 + number))
        }
        // The hub with which the device is paired; `nil` where that is not known.
        var paired: HubPlace?
        for _ in 0..<rounds {
            let place = Bool.random() ? world.home : world.stranger
            switch Happening.allCases.randomElement() ?? .time {
            case .arrival:
                try await place.arrive()
                try await Task.sleep(for: Self.discovery)
            case .departure: await place.leave(HubPlace.Departure.allCases.randomElement() ?? .death)
            case .pairing: paired = try await pair(with: place, world, before: paired)
            case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...1_000)))
            case .revocation: place.hub.revokeAccessTokens()
            case .kill:
                sometimes("the process is killed")
                try await world.restart()
            }
            if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000))) }
            sometimes("both hubs are there", places.allSatisfy(\.isThere))
            sometimes("the other hub alone is there", paired != nil && paired?.isThere == false)
            try await look(world, paired)
            try world.check()
            try await world.checkRoot()
        }
        try await world.base.shutdown()
        return ScenarioSummary([
            "requests": world.hub.requestCount, "requests of the twin": world.stranger.hub.requestCount,
        ])
    }

    /// Types a code of a hub that is there, at times while a call of the last session is under way.
    private func pair(
        with place: HubPlace,
        _ world: ArgusWorld,
        before paired: HubPlace?
    ) async throws -> HubPlace? {
        try await place.arrive()
        try await Task.sleep(for: Self.discovery)
        // A hub gives a device five codes in a minute.
        if place.hub.project.dialect == .hub { try await Task.sleep(for: .seconds(12)) }
        let isBusy = Bool.random()
        let renewing = isBusy && paired !== place && Bool.random() ? paired : nil
        if let renewing {
            // The last token has ended, and the answer of its hub to the question for the next one takes longer than the app waits for it.
            try await Task.sleep(for: .seconds(renewing.hub.project.tokenLifetime + 1))
            renewing.gate.set(.slow(.seconds(20)))
        }
        async let call: Void = {
            guard isBusy else { return }
            sometimes("another hub is paired during a call", paired != nil && paired !== place)
            _ = try await world.onPhone(within: ArgusWorld.callLimit, "a call") {
                _ = try? await $0.app.api.fetchEvents(page: 1)
            }
        }()
        if let renewing {
            try await Task.sleep(for: .milliseconds(500))
            sometimes("another hub is paired during a renewal", renewing.isThere)
            renewing.gate.set(.open)
        }
        let before = place.hub.pairings
        let attempt = try await world.pair(with: place.hub)
        try await call
        let isTaken = place.hub.pairings > before
        try world.base.checkUndisturbed(
            attempt.message == nil && attempt.isPaired && isTaken,
            "a code pairs with the hub at which it is shown or confirmed, whoever is found first",
            "\(attempt), taken: \(isTaken)"
        )
        if attempt.message == nil, isTaken {
            sometimes("the device is paired with the twin", place === world.stranger)
            return place
        }
        return nil
    }

    /// Loads the list: it is that of the hub with which the device is paired.
    private func look(_ world: ArgusWorld, _ paired: HubPlace?) async throws {
        let state = try await world.onPhone(within: ArgusWorld.callLimit, "a list") { phone in
            await phone.screens.events.send(.load)
            return phone.screens.events.state
        }
        guard let paired else { return }
        let ids = state.rows.map(\.id)
        if paired.isThere {
            try world.base.checkUndisturbed(
                state.errorMessage == nil && ids == paired.hub.events.map(\.id),
                "a hub that is there is reached, whoever else has its name",
                "\(state.errorMessage ?? "") \(ids)"
            )
        }
        try world.base.checkUndisturbed(
            ids.isEmpty || ids == paired.hub.events.map(\.id),
            "what is listed is of the paired hub",
            "\(ids)"
        )
    }
}
