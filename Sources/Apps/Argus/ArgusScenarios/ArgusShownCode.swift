internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// The app shows codes of a public hub, which a person confirms there, too late, or not at all, while answers are lost, hubs come and go, and
/// the process is killed.
public struct ArgusShownCode: Scenario, ArgusScenario {
    /// The command-line name.
    public static let name = "argus-shown-code"
    /// One sentence.
    public static let summary =
        "a code that the app shows pairs once it is confirmed, with the hub that has given it; one that was given up or not confirmed pairs nothing"
    /// Discovery is by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a device is paired at home", "a device is paired over the relay",
        "a neighbour's hub has given the code",
        "a code was not confirmed", "a code was given up", "the hub moves before the code is confirmed",
        "an answer to a pairing is lost", "the process is killed while it pairs",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Codes, one after the other.")
    ]

    /// Codes, one after the other.
    public var rounds = 6
    package var adjust: ArgusAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// How a code fares.
    private enum Course: CaseIterable {
        case confirmed, moves, unconfirmed, givenUp, lost, cut, killed

        /// Whether the hub may have taken the code, and the phone not know it.
        var maySurplus: Bool { [.lost, .cut, .killed].contains(self) }
    }

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions()
        options.project.dialect = .hub
        options.project.codeLifetime = [60, 300].randomElement() ?? 300
        options.adjust = adjust
        let world = try await ArgusWorld.start(options)
        for _ in 0..<rounds {
            // A hub gives a device five codes in a minute.
            try await Task.sleep(for: .seconds(61))
            let course = Course.allCases.randomElement() ?? .confirmed
            try await change(world)
            try await attempt(course, world, lifetime: options.project.codeLifetime)
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

    /// Has hubs come and go.
    private func change(_ world: ArgusWorld) async throws {
        if Bool.random() {
            await world.home.leave(HubPlace.Departure.allCases.randomElement() ?? .death)
        } else {
            try await world.home.arrive()
        }
        if Bool.random() { try await world.stranger.arrive() } else { await world.stranger.leave(.goodbye) }
        if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...5_000))) }
        if Bool.random() { try await world.onPhone { $0.reload() } }
    }

    private func attempt(_ course: Course, _ world: ArgusWorld, lifetime: Int) async throws {
        let (before, start) = (world.hub.pairings, world.hub.log.count)
        let isHome = world.home.isThere
        var attempt: ArgusWorld.Attempt?
        switch course {
        case .confirmed, .moves, .lost, .cut:
            if course == .lost {
                let silence = Double.random(in: 0...15)
                world.base.arm("argus.answerLost", probability: 0.5, values: ["silence": silence], atMost: 2)
            }
            if course == .cut { world.base.arm("argus.answerCut", probability: 0.5, atMost: 2) }
            attempt = try await world.showCode(confirmedAt: world.hub) {
                guard course == .moves, isHome else { return }
                sometimes("the hub moves before the code is confirmed")
                await world.home.leave(.goodbye)
                try await world.home.arrive()
                // It is found again, and the app asks every two seconds.
                try await Task.sleep(for: .seconds(10))
            }
            for point in ["argus.answerLost", "argus.answerCut"] { world.base.disarm(point) }
        case .killed:
            attempt = try await world.kill(within: .seconds(5)) {
                try await world.showCode(confirmedAt: world.hub)
            }
            sometimes("the process is killed while it pairs", attempt == nil)
        case .unconfirmed:
            attempt = try await world.awaitEnd(within: .seconds(lifetime + 10))
            sometimes("a code was not confirmed", attempt?.message != nil)
        case .givenUp: attempt = try await world.giveUpCode()
        }
        let taken = world.hub.pairings - before
        let seen = "\(course), taken \(taken) times, \(attempt.map { "\($0)" } ?? "killed")"
        // What a slow network has kept of an earlier attempt may come now.
        try world.base.checkUndisturbed(taken <= 1, "a code pairs once", seen)
        guard let attempt else { return }
        try check(attempt, course, world, since: start, taken: taken, isHome: isHome, seen)
    }

    private func check(
        _ attempt: ArgusWorld.Attempt,
        _ course: Course,
        _ world: ArgusWorld,
        since start: Int,
        taken: Int,
        isHome: Bool,
        _ seen: String
    ) throws {
        try world.check(attempt, since: start, taken: taken, maySurplus: course.maySurplus, seen)
        try world.base.checkUndisturbed(
            taken == 0 || attempt.message != PairingError.codeEnded.errorDescription,
            "a code that the hub has taken is not said to have ended",
            seen
        )
        switch course {
        case .confirmed, .moves:
            try world.base.checkUndisturbed(
                attempt.isPaired && attempt.message == nil,
                "a code that is confirmed pairs, wherever the hub is and whoever else is there",
                seen
            )
            sometimes("a device is paired at home", isHome && attempt.isPaired)
            sometimes("a device is paired over the relay", !isHome && attempt.isPaired)
            sometimes("a neighbour's hub has given the code", attempt.codes > 1)
        case .unconfirmed:
            try world.base.checkUndisturbed(
                !attempt.isPaired && attempt.message == PairingError.codeEnded.errorDescription,
                "a code that nobody confirms pairs nothing, and the screen says that it has ended",
                seen
            )
        case .givenUp:
            try world.base.checkUndisturbed(
                !attempt.isPaired && taken == 0,
                "a code that was given up pairs nothing, though it is confirmed afterwards",
                seen
            )
            sometimes("a code was given up")
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

extension ArgusWorld {
    /// Has the app show a code that nobody confirms, and waits for its end.
    fileprivate func awaitEnd(within limit: Duration) async throws -> Attempt {
        try await onPhone(within: Self.pairingLimit + limit, "a code without a confirmation") { phone in
            await phone.screens.pairing.send(.dismissAlert)
            await phone.screens.pairing.send(.requestCode)
            return await Self.end(of: phone)
        }
    }

    /// Has the app show a code, and give it up; the person confirms it at the hub afterwards.
    fileprivate func giveUpCode() async throws -> Attempt {
        let code = try await onPhone(within: Self.pairingLimit, "a code that is given up") { phone in
            await phone.screens.pairing.send(.dismissAlert)
            await phone.screens.pairing.send(.requestCode)
            let code = phone.screens.pairing.state.shown?.code
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000)))
            await phone.screens.pairing.send(.cancelCode)
            return code
        }
        if let code { _ = hub.confirm(code) }
        try await Task.sleep(for: .seconds(10))
        return try await onPhone { await Self.end(of: $0) }
    }
}
