internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person scrolls, pulls and reloads a list that grows and shrinks between its pages, at a hub that errs now and then.
public struct ArgusList: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-list"
    /// One sentence.
    public static let summary =
        "a list has no event twice, none that is not there, and misses none where events only come; a reload shows what the hub has"
    /// The hub is found by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a list has three pages", "events come between two pages", "events go between two pages",
        "a page and its reload are under way at once", "a page fails", "a page has another size",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Lists, one after the other.")
    ]

    /// Lists, one after the other.
    public var rounds = 6
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What happens to the events while a list is read.
    private enum Course: CaseIterable {
        case quiet, growing, shrinking, erring, hasty, otherSize
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        var events = Int.random(in: 0...70)
        options.project.events = (0..<events).map { HubEvent.atHome($0) }
        options.project.tokenLifetime = 86_400
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        try await world.pair()
        // What is registered meanwhile would take some of the faults.
        try await Task.sleep(for: .seconds(5))
        for _ in 0..<rounds {
            let course = Course.allCases.randomElement() ?? .quiet
            let before = Set(world.hub.events.map(\.id))
            try await read(course, world, &events)
            let state = try await state(of: world)
            try hold(state, world)
            let missed = before.subtracting(state.rows.map(\.id))
            try world.base.checkUndisturbed(
                ![.quiet, .growing].contains(course) || missed.isEmpty && state.errorMessage == nil,
                "a list that grows between its pages misses none of the older events",
                "\(course), \(state.errorMessage ?? "no error"), without \(missed.sorted())"
            )
            try await reload(world)
            try world.check()
            try await world.checkRoot()
        }
        try await world.recover()
        var isWhole = false
        // The first may go over a connection that stands still.
        for _ in 0..<3 where !isWhole { isWhole = try await isReloaded(world) }
        try check(isWhole, "when all is well again a reload shows what the hub has", "it does not")
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount, "events": events])
    }

    /// Loads the first page and all others, while something happens.
    private func read(_ course: Course, _ world: ArgusWorld, _ events: inout Int) async throws {
        let faults = ["argus.500", "argus.malformed", "argus.answerCut", "argus.404", "argus.422"]
        let fault = faults.randomElement() ?? "argus.500"
        if course == .erring { world.base.arm(fault, probability: 0.3) }
        if course == .otherSize {
            world.base.arm("argus.events.pageSizeIgnored", values: ["size": Double(Int.random(in: 1...60))])
        }
        defer { for point in [fault, "argus.events.pageSizeIgnored"] { world.base.disarm(point) } }
        try await act(.load, world)
        for page in 0..<60 {
            let state = try await state(of: world)
            try hold(state, world)
            sometimes("a page fails", state.errorMessage != nil)
            guard state.hasMore, state.errorMessage == nil else { break }
            sometimes("a page has another size", course == .otherSize)
            sometimes("a list has three pages", page == 2)
            switch course {
            case .growing:
                // More than a page at times.
                for _ in 0..<Int.random(in: 0...30) where page < 4 {
                    world.hub.add(.atHome(events))
                    events += 1
                }
                sometimes("events come between two pages")
            case .shrinking:
                for _ in 0..<Int.random(in: 0...10) {
                    if let event = world.hub.events.randomElement() { world.hub.removeEvent(event.id) }
                }
                sometimes("events go between two pages")
            case .quiet, .erring, .hasty, .otherSize: break
            }
            if course == .hasty {
                sometimes("a page and its reload are under way at once")
                try await world.onPhone(within: ArgusWorld.callLimit, "two at once") { phone in
                    let screen = phone.screens.events
                    async let more: Void = screen.send(.loadMore)
                    async let again: Void = screen.send([.refresh, .loadMore].randomElement() ?? .refresh)
                    _ = await (more, again)
                }
            } else {
                try await act(.loadMore, world)
            }
        }
        if course == .erring, try await state(of: world).errorMessage != nil { try await act(.retry, world) }
    }

    private func act(_ action: EventListViewModel.Action, _ world: ArgusWorld) async throws {
        try await world.onPhone(within: ArgusWorld.callLimit, "a page") {
            await $0.screens.events.send(action)
        }
    }

    private func state(of world: ArgusWorld) async throws -> EventListViewModel.State {
        try await world.onPhone { $0.screens.events.state }
    }

    /// What holds always.
    private func hold(_ state: EventListViewModel.State, _ world: ArgusWorld) throws {
        try RecordedArgus.listedOnce.check(state)
        try check(
            !state.isLoading && !state.isLoadingMore,
            "what was asked for is over when it was waited for",
            "loading: \(state.isLoading), more: \(state.isLoadingMore)"
        )
    }

    private func reload(_ world: ArgusWorld) async throws {
        let isWhole = try await isReloaded(world)
        let state = try await state(of: world)
        try world.base.checkUndisturbed(
            isWhole,
            "a reload shows what the hub has",
            "\(state.errorMessage ?? "no error"), \(state.rows.map(\.id)) for \(world.hub.events.map(\.id))"
        )
    }

    /// Loads everything from the first page on, and says whether it is what the hub has.
    private func isReloaded(_ world: ArgusWorld) async throws -> Bool {
        try await act(.refresh, world)
        var state = try await state(of: world)
        while state.hasMore, state.errorMessage == nil {
            try await act(.loadMore, world)
            state = try await self.state(of: world)
        }
        try hold(state, world)
        return state.errorMessage == nil && state.rows.map(\.id) == world.hub.events.map(\.id)
    }
}
