internal import Argus
internal import ArgusHub
internal import Concurrency
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import Simulation

/// Many calls at once while tokens expire, are revoked, and answers to refreshes are lost.
public struct ArgusTokens: Scenario {
    /// The command-line name.
    public static let name = "argus-tokens"
    /// One sentence.
    public static let summary =
        "however many calls wait for a token, at most one refresh is under way, and no refresh token is used twice unless its answer was lost"
    /// The hub is found by multicast.
    public static let needsSimulatedNetwork = true
    /// What a sweep over it should reach.
    public static let expects = [
        "a token is refused to several calls at once", "the answer to a refresh is lost",
        "a sign-out comes before the answer to a refresh",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("calls", \.calls, in: 1...1_000, "Calls at the same time.")
    ]

    /// Calls at the same time.
    public var calls = 6

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = ArgusOptions()
        options.project.tokenLifetime = 900
        options.project.grace = .returnsSuccessor
        options.project.reuseRevokesFamily = true
        let world = try await ArgusWorld.start(options)
        try await pair(world)
        for _ in 0..<4 {
            let isLost = Bool.random()
            if Bool.random() {
                try await Task.sleep(for: .seconds(650))
            } else {
                world.hub.revokeAccessTokens()
            }
            if isLost { world.base.arm("argus.refresh.lost", values: ["silence": 1], atMost: 1) }
            let before = world.hub.log.count
            let signsOut = Int.random(in: 0..<6) == 0
            let calls = calls
            let failures = try await world.onPhone { phone in
                let api = phone.app.api
                let tasks = (0..<calls).map { number in
                    Task {
                        do {
                            if number.isMultiple(of: 2) {
                                _ = try await api.fetchEvents(page: 1)
                            } else {
                                _ = try await api.fetchCameras()
                            }
                            return String?.none
                        } catch { return "\(error)" }
                    }
                }
                if signsOut {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...30)))
                    await phone.screens.root.send(.signOut)
                }
                var failures: [String] = []
                for task in tasks { if let failure = await task.value { failures.append(failure) } }
                return failures
            }
            world.base.disarm("argus.refresh.lost")
            let events = world.hub.log.dropFirst(before)
            let refreshes = events.count { if case .refreshed = $0 { true } else { false } }
            let again = events.count { if case .graceGiven = $0 { true } else { false } }
            let reused = events.count { if case .reuseRefused = $0 { true } else { false } }
            let refused = events.count { if case .refused(_, 401) = $0 { true } else { false } }
            sometimes("a token is refused to several calls at once", refused > 1)
            sometimes("the answer to a refresh is lost", again > 0)
            try world.base.checkUndisturbed(
                reused == 0,
                "no refresh token is used after its time",
                "\(reused)"
            )
            try world.base.checkUndisturbed(
                refreshes <= 1 && again <= (isLost ? 1 : 0),
                "a refresh is asked for once, and again only where its answer was lost",
                "\(refreshes) and \(again) again, lost: \(isLost)"
            )
            if signsOut {
                sometimes(
                    "a sign-out comes before the answer to a refresh",
                    refreshes == 1 && !failures.isEmpty
                )
                try await Task.sleep(for: .seconds(60))
                let isIn = try await world.onPhone { $0.app.auth.isAuthenticated.value }
                try check(!isIn, "what is answered after a sign-out brings no session back", "signed in")
                try await pair(world)
            } else {
                try world.base.checkUndisturbed(failures.isEmpty, "each call succeeds", "\(failures)")
            }
        }
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.hub.requestCount])
    }

    private func pair(_ world: ArgusWorld) async throws {
        for _ in 0..<5 {
            let code = world.hub.makeCode()
            let isIn = try await world.onPhone { phone in
                await phone.screens.pairing.send(.setCode(code))
                await phone.screens.pairing.send(.submit)
                return phone.app.auth.isAuthenticated.value
            }
            if isIn { return }
            try await Task.sleep(for: .seconds(20))
        }
        try world.base.checkUndisturbed(false, "a device can be paired", "five codes were refused")
    }
}
