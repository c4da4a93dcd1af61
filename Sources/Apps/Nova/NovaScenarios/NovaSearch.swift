internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// A person types, corrects and clears what they search for, while answers take their time and overtake each other.
public struct NovaSearch: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-search"
    /// One sentence.
    public static let summary =
        "what is listed belongs to the text that is shown, nobody twice, and only the last text of a quick typist is asked for"
    /// What a sweep over it should reach.
    public static let expects = [
        "an answer is slow", "the text is cleared", "a search fails", "a search finds several pages",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Texts, one after the other.")
    ]

    /// Texts, one after the other.
    public var rounds = 20
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// Longer than a debounce and the slowest search that is armed.
    private static let quiet = Duration.seconds(200)

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = NovaOptions(posts: 0...3, adjust)
        options.project.users = NovaProject.seeded(users: 60, posts: 0).users
        let world = try await NovaWorld.start(options)
        _ = try await world.attempt("a tab") { await $0.screens.root.send(.select(.search)) }
        for _ in 0..<rounds { try await type(world) }
        try await world.recover()
        try await checkEnd(world)
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount])
    }

    /// Types a text letter by letter, and looks at times at what is listed.
    private func type(_ world: NovaWorld) async throws {
        let texts = ["a", "ad", "ada", "gr", "grace", "1", "an", "nobody", "", " ", "T", "%", "e"]
        if Int.random(in: 0..<3) == 0 {
            sometimes("an answer is slow")
            world.base.arm("nova.slow", values: ["seconds": Double(Int.random(in: 0...10))], atMost: 1)
        }
        if Int.random(in: 0..<5) == 0 { world.base.arm("nova.500", atMost: Int.random(in: 1...4)) }
        let text = texts.randomElement() ?? ""
        sometimes("the text is cleared", text.isEmpty)
        let before = world.watch.sent.count { $0.path == "/search/users" }
        _ = try await world.attempt("typing") { phone in
            for length in 0...text.count {
                await phone.screens.search.send(.setQuery(String(text.prefix(length))))
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...290)))
            }
        }
        let during = world.watch.sent.count { $0.path == "/search/users" } - before
        try world.base.checkUndisturbed(
            during == 0,
            "nothing is asked for while somebody types",
            "\(during) requests"
        )
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...3_000)))
        try await look(world, isQuiet: false)
        guard Bool.random() else { return }
        try await Task.sleep(for: Self.quiet)
        try await look(world, isQuiet: true)
        _ = try await world.attempt("a page") { await $0.screens.search.send(.loadMore) }
        try await look(world, isQuiet: true)
    }

    /// Ends the scenario where somebody is listed who does not belong to the text, or twice.
    private func look(_ world: NovaWorld, isQuiet: Bool) async throws {
        let state = try await world.attempt("a look") { phone in
            try await Task.sleep(for: .milliseconds(100))
            return phone.screens.search.state
        }
        guard let state else { return }
        sometimes("a search fails", state.list.errorMessage != nil)
        let ids = state.users.map(\.id)
        try world.check(ids.hasNoDuplicates, "nobody is found twice", "\(ids)")
        let query = state.query.trimmingBlanks
        try world.check(!query.isEmpty || ids.isEmpty, "nothing is found for no text", "\(ids)")
        // Below the words about a failure stays who was found before.
        guard isQuiet, state.list.errorMessage == nil else { return }
        let found = Self.matches(query, world)
        sometimes("a search finds several pages", ids.count > 20)
        let isRight = ids.elementsEqual(found.prefix(ids.count))
        try world.check(
            isRight,
            "what is found belongs to the text",
            "\(ids) for “\(query)”, which finds \(found)"
        )
        try world.base.checkUndisturbed(
            ids.count >= min(20, found.count),
            "who is there is found",
            "\(ids) for “\(query)”, which finds \(found)"
        )
    }

    private func checkEnd(_ world: NovaWorld) async throws {
        for _ in 0..<2 {
            _ = try await world.attempt("a search") { phone in
                await phone.screens.root.send(.select(.search))
                await phone.screens.search.send(.setQuery(""))
                await phone.screens.search.send(.setQuery("ada"))
            }
            try await Task.sleep(for: Self.quiet)
        }
        let state = try await world.onPhone { $0.screens.search.state }
        let found = Self.matches("ada", world)
        try world.check(
            state.users.map(\.id) == Array(found.prefix(20)),
            "when all is well a search finds who is there",
            "\(state.list.errorMessage ?? "") \(state.users.map(\.id)) for \(found)"
        )
    }

    /// Who Nova finds: by a part of either name, in the order of the names.
    private static func matches(_ query: String, _ world: NovaWorld) -> [String] {
        guard !query.isEmpty else { return [] }
        let text = query.lowercased()
        return world.nova.project.users.filter {
            $0.username.lowercased().contains(text) || $0.displayName.lowercased().contains(text)
        }.sorted { $0.username < $1.username }.map(\.id)
    }
}

extension String {
    /// Without blanks around it.
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
