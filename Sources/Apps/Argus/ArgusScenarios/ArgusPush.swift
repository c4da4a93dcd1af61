internal import Argus
internal import ArgusHub
internal import Concurrency
internal import PeerKit
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Services
internal import SimulatedPush
internal import Simulation

/// Events come while the app is open, closed, killed, or not paired; people tap what is shown, and the device gets other tokens.
public struct ArgusPush: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-push"
    /// One sentence.
    public static let summary =
        "a push is shown once, its tap opens the detail of its event as soon as the device is paired, and the hub has the present token of the device"
    /// The hub is found by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a push comes while the app is open", "a push comes while the app is closed",
        "a push is sent again", "a tap starts the app", "a tap waits for a pairing",
        "the event of a tap is gone", "the device gets another token", "the process is killed",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Things that happen, one after the other.")
    ]

    /// Things that happen, one after the other.
    public var rounds = 12
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    private enum Happening: CaseIterable {
        case event, closedEvent, removal, tap, closedTap, token, signOut, pairing, kill, time
    }

    /// What the scenario knows of the phone.
    private struct Model {
        /// Events that were made.
        var events = 0
        /// Device tokens that were given.
        var tokens = 0
        /// How many notifications had been shown when the session or the process began.
        var start = 0
        /// The event whose detail is wanted.
        var wanted: String?
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.project.grace = .returnsSuccessor
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        var model = Model()
        try await pair(world, &model)
        for _ in 0..<rounds {
            let happening = Happening.allCases.randomElement() ?? .time
            try await happen(happening, world, &model)
            try await look(world, &model)
            try world.check()
            try await world.checkRoot()
        }
        try await world.recover()
        // What has failed is tried again by the next launch.
        for _ in 0..<2 {
            try await world.restart()
            try await Task.sleep(for: .seconds(40))
        }
        let (registration, token) = try await world.onPhone { phone in
            (phone.app.push.registration.value, Self.token(model.tokens))
        }
        try check(
            registration == .registered && world.hub.pushTokens.map(\.token) == [Hexadecimal.encode(token)],
            "when all is well again the hub has the present token of the device, once",
            "\(registration), \(world.hub.pushTokens)"
        )
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount, "notifications": world.push.shown.count])
    }

    private func happen(_ happening: Happening, _ world: ArgusWorld, _ model: inout Model) async throws {
        switch happening {
        case .event:
            sometimes("a push comes while the app is open", isRegistered(world, model))
            try await event(world, &model)
        case .closedEvent:
            world.base.device.crash()
            sometimes("a push comes while the app is closed", isRegistered(world, model))
            try await event(world, &model)
            try await restart(world, &model)
        case .removal: if let oldest = world.hub.events.last { world.hub.removeEvent(oldest.id) }
        case .tap: try tap(world, &model)
        case .closedTap:
            world.base.device.crash()
            model.wanted = nil
            let shown = world.push.shown.count
            try tap(world, &model)
            sometimes("a tap starts the app", shown > 0 && world.keepsSession)
            let wanted = model.wanted
            try await restart(world, &model)
            model.wanted = wanted
        case .token:
            model.tokens += 1
            let token = Self.token(model.tokens)
            world.pushes.reach(world.push, by: Hexadecimal.encode(token))
            world.push.setToken(token)
            sometimes("the device gets another token")
        case .signOut:
            guard world.keepsSession else { return }
            try await world.signOut()
            model.wanted = nil
        case .pairing: if !world.keepsSession { try await pair(world, &model) }
        case .kill:
            sometimes("the process is killed")
            try await restart(world, &model)
        case .time: try await Task.sleep(for: .seconds(Int.random(in: 1...1_000)))
        }
        try await Task.sleep(for: .seconds(Int.random(in: 0...10)))
    }

    /// A token of the device; the first is the one that the device has at first.
    private static func token(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: $0 + number * 7) }
    }

    private func isRegistered(_ world: ArgusWorld, _ model: Model) -> Bool {
        world.hub.pushTokens.map(\.token) == [Hexadecimal.encode(Self.token(model.tokens))]
    }

    /// Adds an event, whose push is shown once where the hub has the present token of the device.
    private func event(_ world: ArgusWorld, _ model: inout Model) async throws {
        let isExpected = isRegistered(world, model)
        let event = HubEvent.atHome(model.events)
        model.events += 1
        let isAgain = Bool.random()
        if isAgain { world.pushes.loseNextAnswer() }
        world.hub.add(event)
        try await Task.sleep(for: .seconds(20))
        let count = world.push.shown.count { $0.eventID == event.id }
        try check(
            count == (isExpected ? 1 : 0),
            "a push is shown once on a device that the hub reaches, and on no other",
            "\(count), expected: \(isExpected)"
        )
        sometimes("a push is sent again", isAgain && isExpected)
    }

    private func tap(_ world: ArgusWorld, _ model: inout Model) throws {
        guard let notification = world.push.shown.randomElement() else { return }
        world.notices.tap(notification)
        model.wanted = notification.eventID
        sometimes("a tap waits for a pairing", !world.keepsSession)
    }

    private func restart(_ world: ArgusWorld, _ model: inout Model) async throws {
        let shown = world.push.shown.count
        try await world.restart()
        (model.start, model.wanted) = (shown, nil)
    }

    private func pair(_ world: ArgusWorld, _ model: inout Model) async throws {
        model.start = world.push.shown.count
        try await world.pair()
        // As far as nothing was lost, the hub has the token soon.
        try await Task.sleep(for: .seconds(5))
        try world.base.checkUndisturbed(
            isRegistered(world, model),
            "a paired hub has the present token of the device",
            "\(world.hub.pushTokens)"
        )
    }

    /// Compares what the app shows with what has arrived and what was tapped.
    private func look(_ world: ArgusWorld, _ model: inout Model) async throws {
        let start = world.hub.log.count
        let isKept = world.keepsSession
        let (root, isSignedIn, limit) = try await world.onPhone { phone in
            try await Task.sleep(for: .milliseconds(50))
            return (phone.screens.root.state, phone.app.auth.isAuthenticated.value, PushService.shownLimit)
        }
        // A hub may have ended the session meanwhile, and with it what was shown.
        guard isSignedIn == isKept, !world.hub.hasEndedSession(since: start) else { return }
        let arrived = isSignedIn ? world.push.shown.dropFirst(model.start).suffix(limit) : []
        try check(
            root.notices.map(\.id) == arrived.map(\.id),
            "what has arrived in a session is among its notices, once each and in its order",
            "\(root.notices.map(\.title)) for \(arrived.map(\.title))"
        )
        try check(
            root.eventID == (isSignedIn ? model.wanted : nil),
            "a tap opens the detail of its event as soon as the device is paired, and nothing else does",
            "\(root.eventID ?? "none") for \(model.wanted ?? "none"), paired: \(isSignedIn)"
        )
        if let id = root.eventID { try await open(id, world) }
    }

    /// Opens a detail: the event, or why it is not there.
    private func open(_ id: String, _ world: ArgusWorld) async throws {
        let detail = try await world.onPhone(within: ArgusWorld.callLimit * 2, "a detail") { phone in
            let detail = phone.screens.detail(of: id)
            detail.appear()
            await detail.loadEvent()
            return detail.state
        }
        let isThere = world.hub.events.contains { $0.id == id }
        sometimes("the event of a tap is gone", !isThere)
        try check(
            detail.event == nil || detail.event?.id == id && isThere,
            "a detail is of the event that was tapped",
            "\(detail)"
        )
        try world.base.checkUndisturbed(
            (detail.event != nil) == isThere && (detail.errorMessage == nil) == isThere && !detail.isLoading,
            "a detail is loaded, or says why not",
            "\(detail), there: \(isThere)"
        )
    }
}

extension PushNotification {
    /// The event that it is about.
    fileprivate var eventID: String? {
        (try? JSONValue(json: payload, depth: 8))?.object?["event_id"]?.string
    }
}
