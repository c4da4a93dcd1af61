internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// Many calls at once while tokens expire, are revoked, answers to refreshes are lost, and the process is killed.
public struct ArgusTokenStorm: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-token-storm"
    /// One sentence.
    public static let summary =
        "however many calls wait for a token, at most one refresh is under way, and a session ends only by a person or by a hub that refuses"
    /// The hub is found by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a token is refused to several calls at once", "the answer to a refresh is lost",
        "a sign-out comes before the answer to a refresh", "the process is killed while calls wait",
        "a hub without grace ends a session whose answer was lost",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("calls", \.calls, in: 1...1_000, "Calls at the same time.")
    ]

    /// Calls at the same time.
    public var calls = 6
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// What happens while the calls are under way.
    private enum Course: CaseIterable {
        case nothing, lost, failing, signsOut, killed
    }

    /// What has come of a wave of calls.
    private struct Wave {
        let failures: [String]
        let refreshes: Int
        let forgiven: Int
        let reused: Int
        let refused: Int
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions.ofAnyDialect()
        options.project.tokenLifetime = 900
        options.project.grace =
            [.returnsSuccessor, .returnsSuccessor, .echoesOld, .none].randomElement() ?? .none
        options.project.reuseRevokesFamily = Bool.random()
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        try await world.pair()
        var start = world.hub.log.count
        // An answer that was lost, and that the hub does not repeat, ends the session sooner or later.
        var mayEnd = false
        for _ in 0..<5 {
            let course = Course.allCases.randomElement() ?? .nothing
            if Bool.random() {
                try await Task.sleep(for: .seconds(650))
            } else {
                world.hub.revokeAccessTokens()
            }
            mayEnd = mayEnd || course == .lost && options.project.grace != .returnsSuccessor
            if let wave = try await wave(course, world) {
                try check(wave, course, world, mayEnd: mayEnd)
            } else {
                mayEnd = true
            }
            try world.check()
            try await world.checkRoot()
            if world.keepsSession { continue }
            try ScenarioKit.check(
                course == .signsOut || world.hub.hasEndedSession(since: start),
                "a session ends only by a person, or by a hub that refuses",
                "\(course)"
            )
            sometimes(
                "a hub without grace ends a session whose answer was lost",
                course == .lost && options.project.grace == .none
            )
            try await world.pair()
            (mayEnd, start) = (false, world.hub.log.count)
        }
        try await world.recover()
        try world.check()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount])
    }

    /// Makes the calls, and has something happen meanwhile.
    ///
    /// - Returns: `nil` where the process was killed.
    private func wave(_ course: Course, _ world: ArgusWorld) async throws -> Wave? {
        if course == .lost {
            world.base.arm("argus.refresh.lost", values: ["silence": 1], atMost: 1)
        }
        if course == .failing { world.base.arm("argus.500", probability: 0.5, atMost: 4) }
        defer { for point in ["argus.refresh.lost", "argus.500"] { world.base.disarm(point) } }
        let (before, calls) = (world.hub.log.count, calls)
        let waiting = Task {
            try await world.onPhone(within: ArgusWorld.callLimit * 2, "calls") { phone in
                let api = phone.app.api
                let tasks = (0..<calls).map { number in Task { await Self.call(number, api) } }
                if course == .signsOut {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...30)))
                    await phone.screens.root.send(.signOut)
                }
                var failures: [String] = []
                for task in tasks { if let failure = await task.value { failures.append(failure) } }
                return failures
            }
        }
        if course == .killed {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
            world.base.device.crash()
        }
        let failures: [String]
        do { failures = try await waiting.value } catch is NodeCrashed {
            sometimes("the process is killed while calls wait")
            try await world.restart()
            return nil
        }
        if course == .killed { try await world.restart() }
        // What is answered after a sign-out brings no session back.
        if course == .signsOut { try await Task.sleep(for: .seconds(60)) }
        let events = world.hub.log.dropFirst(before)
        return Wave(
            failures: failures,
            refreshes: events.count { if case .refreshed = $0 { true } else { false } },
            forgiven: events.count { if case .graceGiven = $0 { true } else { false } },
            reused: events.count { if case .reuseRefused = $0 { true } else { false } },
            refused: events.count { if case .refused(_, 401) = $0 { true } else { false } }
        )
    }

    /// Makes a call, and says how it has failed.
    private static func call(_ number: Int, _ api: any HubAPI) async -> String? {
        do {
            if number.isMultiple(of: 2) {
                _ = try await api.fetchEvents(page: 1)
            } else {
                _ = try await api.fetchCameras()
            }
            return nil
        } catch { return "\(error)" }
    }

    private func check(_ wave: Wave, _ course: Course, _ world: ArgusWorld, mayEnd: Bool) throws {
        sometimes("a token is refused to several calls at once", wave.refused > 1)
        sometimes("the answer to a refresh is lost", wave.forgiven > 0)
        try ScenarioKit.check(
            course != .signsOut || !world.keepsSession,
            "what is answered after a sign-out brings no session back",
            "\(wave)"
        )
        sometimes(
            "a sign-out comes before the answer to a refresh",
            course == .signsOut && wave.refreshes == 1 && !wave.failures.isEmpty
        )
        guard !mayEnd, course != .failing else { return }
        try world.base.checkUndisturbed(
            wave.reused == 0,
            "no refresh token is used after its time",
            "\(wave)"
        )
        try world.base.checkUndisturbed(
            wave.refreshes <= 1 && wave.forgiven <= (course == .lost ? 1 : 0),
            "a refresh is asked for once, and again only where its answer was lost",
            "\(course), \(wave)"
        )
        try world.base.checkUndisturbed(
            wave.failures.isEmpty || course == .signsOut,
            "each call succeeds",
            "\(course), \(wave)"
        )
    }
}
