internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person scrolls and pulls a feed that grows and shrinks between its pages, leaves the app, and comes back to what was cached.
public struct NovaFeed: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-feed"
    /// One sentence.
    public static let summary =
        "a feed has no post twice, misses none where posts only come, and shows a cached page for half a minute at most"
    /// What a sweep over it should reach.
    public static let expects = [
        "a feed has three pages", "posts come between two pages", "posts go between two pages",
        "a page and a refresh are under way at once", "a page fails", "a cached page is shown",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Feeds, one after the other.")
    ]

    /// Feeds, one after the other.
    public var rounds = 6
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What is shown.
    private struct Seen {
        let posts: [PostCard]
        /// `nil` where the phone has died.
        let list: ListState?
    }

    /// What happens while a feed is read.
    private enum Course: CaseIterable {
        case quiet, growing, shrinking, erring, hasty, cached
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await NovaWorld.start(NovaOptions(posts: 0...70, adjust))
        for _ in 0..<rounds {
            let course = Course.allCases.randomElement() ?? .quiet
            if course == .cached {
                try await comeBack(world)
                continue
            }
            let before = Set(world.nova.posts.map(\.id))
            let cards = try await read(course, world)
            guard let cards else { continue }
            let missed = before.subtracting(cards.map(\.id))
            try world.base.checkUndisturbed(
                ![.quiet, .growing].contains(course) || missed.isEmpty,
                "a feed that grows between its pages misses none of the older posts",
                "\(course), without \(missed.sorted())"
            )
            if Bool.random() { try await Task.sleep(for: .seconds(Int.random(in: 0...60))) }
        }
        try await world.recover()
        try await world.checkShown()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount])
    }

    /// Reads the feed page by page, while something happens.
    ///
    /// - Returns: What is shown in the end; `nil` where a page has failed.
    private func read(_ course: Course, _ world: NovaWorld) async throws -> [PostCard]? {
        let fault =
            ["nova.500", "nova.429", "nova.malformed", "nova.answerCut", "nova.html"].randomElement() ?? ""
        if course == .erring { world.base.arm(fault, probability: 0.5) }
        defer { if course == .erring { world.base.disarm(fault) } }
        try await act(.refresh, world)
        for page in 0..<10 {
            let state = try await look(world)
            sometimes("a page fails", state.list?.errorMessage != nil)
            guard state.list?.goesOn == true else { break }
            sometimes("a feed has three pages", page == 2)
            change(course, world)
            if course == .hasty {
                sometimes("a page and a refresh are under way at once")
                _ = try await world.attempt(within: .seconds(400), "two at once") { phone in
                    async let more: Void = phone.screens.feed.send(.loadMore)
                    async let again: Void = phone.screens.feed.send(
                        [.refresh, .loadMore].randomElement() ?? .refresh
                    )
                    _ = await (more, again)
                }
            } else {
                try await act(.loadMore, world)
            }
        }
        let state = try await look(world)
        return state.list.map { $0.errorMessage == nil } == true ? state.posts : nil
    }

    /// Others publish and remove posts.
    private func change(_ course: Course, _ world: NovaWorld) {
        let others = world.nova.project.users.dropFirst().map(\.id)
        switch course {
        case .growing:
            sometimes("posts come between two pages")
            for _ in 0..<Int.random(in: 0...25) where world.nova.posts.count < 150 {
                world.nova.publish(by: others.randomElement() ?? "", caption: "Just now.")
            }
        case .shrinking:
            sometimes("posts go between two pages")
            for _ in 0..<Int.random(in: 0...10) {
                world.nova.posts.randomElement().map { world.nova.removePost($0.id) }
            }
        case .quiet, .erring, .hasty, .cached: break
        }
    }

    /// Ends the app, starts it again after a while without a network, and looks at what it shows.
    private func comeBack(_ world: NovaWorld) async throws {
        guard try await world.isSignedIn else { return }
        try await act(.refresh, world)
        let before = try await look(world)
        let wait = Duration.seconds(Int.random(in: 0...60))
        try await Task.sleep(for: wait)
        world.base.goOffline()
        world.base.device.crash()
        try await world.switchOn()
        try await Task.sleep(for: .milliseconds(500))
        let after = try await look(world)
        world.base.goOnline()
        guard let list = before.list, list.errorMessage == nil else { return }
        sometimes("a cached page is shown", !after.posts.isEmpty)
        // The clock of the phone may be wrong in a world that is disturbed; the page was read up to a call's time before.
        try world.base.checkUndisturbed(
            after.posts.isEmpty || wait < .seconds(30),
            "a page that is older than half a minute is not shown",
            "\(after.posts.count) posts after \(wait)"
        )
        try world.base.checkUndisturbed(
            !after.posts.isEmpty || before.posts.isEmpty || wait > .seconds(28),
            "a page that is younger than half a minute is shown at once",
            "none of \(before.posts.count) posts after \(wait)"
        )
        // What was asked for without a network ends.
        try await Task.sleep(for: .seconds(60))
    }

    private func act(_ action: FeedViewModel.Action, _ world: NovaWorld) async throws {
        _ = try await world.attempt("a page") { await $0.screens.feed.send(action) }
    }

    /// What is shown, in which no post may be twice.
    private func look(_ world: NovaWorld) async throws -> Seen {
        let state = try await world.attempt("a look") { $0.screens.feed.state }
        guard let state else { return Seen(posts: [], list: nil) }
        let ids = state.posts.map(\.id)
        try world.check(ids.hasNoDuplicates, RecordedNova.listedOnce.sentence, "\(ids)")
        return Seen(posts: state.posts, list: state.list)
    }
}
