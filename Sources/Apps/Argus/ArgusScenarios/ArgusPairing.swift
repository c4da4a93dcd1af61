internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import Simulation

/// A person pairs, with codes that are right, wrong, too old or forgotten, while answers are lost and the process is killed.
public struct ArgusPairing: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-pairing"
    /// One sentence.
    public static let summary =
        "a code pairs once, whoever is found first; what is lost on the way leaves one session too many at the hub at most, and another code pairs"
    /// Discovery is by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a device is paired at home", "a device is paired over the relay", "a wrong code is refused",
        "a code is too old", "a code is sent twice at once", "the hub has forgotten its codes",
        "a stranger's hub is asked, too", "an answer to a pairing is lost",
        "the process is killed while it pairs",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Codes, one after the other.")
    ]

    /// Codes, one after the other.
    public var rounds = 8
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// How a code fares.
    private enum Course: CaseIterable {
        case right, doubled, wrong, old, forgotten, lost, cut, killed

        /// Whether the hub may have taken the code, and the phone not know it.
        var maySurplus: Bool { [.lost, .cut, .killed].contains(self) }
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions()
        options.project.codeLifetime = [60, 300].randomElement() ?? 300
        // A person who tries so often would be locked out.
        options.project.wrongAttemptLimit = 1_000
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        for _ in 0..<rounds {
            let course = Course.allCases.randomElement() ?? .right
            let hasLeft = try await change(world)
            try await attempt(course, world, options, hasLeft: hasLeft)
            try world.check()
            try await world.checkRoot()
            if Bool.random() { try await world.restartKeepingSession() }
            if world.keepsSession { try await world.signOut() }
        }
        try await world.recover()
        try world.check()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount, "pairings": world.hub.pairings])
    }

    /// Has hubs come and go, and says whether one has left: a connection to it may still be there.
    private func change(_ world: ArgusWorld) async throws -> Bool {
        let there = [world.home, world.stranger].filter(\.isThere)
        if Bool.random() {
            await world.home.leave(HubPlace.Departure.allCases.randomElement() ?? .death)
        } else {
            try await world.home.arrive()
        }
        if Bool.random() { try await world.stranger.arrive() } else { await world.stranger.leave(.goodbye) }
        if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...5_000))) }
        if Bool.random() { try await world.onPhone { $0.reload() } }
        return there.contains { !$0.isThere }
    }

    private func attempt(
        _ course: Course,
        _ world: ArgusWorld,
        _ options: ArgusOptions,
        hasLeft: Bool
    ) async throws {
        let code = world.hub.makeCode()
        let wrong = code == "000000" ? "000001" : "000000"
        let sent = course == .wrong ? wrong : code
        switch course {
        case .old: try await Task.sleep(for: .seconds(options.project.codeLifetime))
        case .forgotten: world.base.arm("argus.codes.forgotten")
        case .lost:
            let silence = Double.random(in: 0...15)
            world.base.arm("argus.answerLost", values: ["silence": silence], atMost: 1)
        case .cut: world.base.arm("argus.answerCut", atMost: 1)
        case .right, .doubled, .wrong, .killed: break
        }
        let (before, start) = (world.hub.pairings, world.hub.log.count)
        let strangers = world.stranger.gate.requests
        let attempt: ArgusWorld.Attempt?
        if course == .killed {
            attempt = try await world.kill(within: .milliseconds(100)) { try await world.enter(sent) }
            sometimes("the process is killed while it pairs", attempt == nil)
        } else {
            attempt = try await world.enter(sent, twice: course == .doubled)
        }
        for point in ["argus.codes.forgotten", "argus.answerLost", "argus.answerCut"] {
            world.base.disarm(point)
        }
        sometimes("a stranger's hub is asked, too", world.stranger.gate.requests > strangers)
        let taken = world.hub.pairings - before
        let seen = "\(course), taken \(taken) times, \(attempt.map { "\($0)" } ?? "killed")"
        // What a slow network has kept of an earlier attempt may come now.
        try world.base.checkUndisturbed(taken <= 1, "a code pairs once", seen)
        guard let attempt else { return }
        try check(attempt, course, world, since: start, taken: taken, seen)
        if !hasLeft, !attempt.isPaired, taken == 0 {
            try world.base.checkUndisturbed(
                attempt.message == PairingError.invalidCode.errorDescription,
                "a code that the hub does not take is called wrong",
                seen
            )
        }
    }

    private func check(
        _ attempt: ArgusWorld.Attempt,
        _ course: Course,
        _ world: ArgusWorld,
        since start: Int,
        taken: Int,
        _ seen: String
    ) throws {
        try world.check(attempt, since: start, taken: taken, maySurplus: course.maySurplus, seen)
        try world.base.checkUndisturbed(
            taken == 0 || attempt.message != PairingError.invalidCode.errorDescription,
            "a code that the hub has taken is not called wrong",
            seen
        )
        switch course {
        case .right, .doubled:
            try world.base.checkUndisturbed(
                attempt.isPaired && attempt.message == nil,
                "a right code pairs, wherever the hub is and whoever else is there",
                seen
            )
            sometimes("a device is paired at home", world.home.isThere && attempt.isPaired)
            sometimes("a device is paired over the relay", !world.home.isThere && attempt.isPaired)
            sometimes("a code is sent twice at once", course == .doubled)
        case .wrong, .old, .forgotten:
            try world.base.checkUndisturbed(
                !attempt.isPaired && attempt.message != nil,
                "a code that the hub does not take pairs nothing, and the screen says so",
                seen
            )
            sometimes("a wrong code is refused", course == .wrong)
            sometimes("a code is too old", course == .old)
            sometimes("the hub has forgotten its codes", course == .forgotten)
        case .lost, .cut:
            try world.base.checkUndisturbed(
                attempt.isPaired || attempt.message != nil,
                "a pairing that has failed says so",
                seen
            )
            sometimes("an answer to a pairing is lost", !attempt.isPaired && taken == 1)
        case .killed: break
        }
    }
}
