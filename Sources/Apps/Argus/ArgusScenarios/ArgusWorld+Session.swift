internal import Argus
internal import ArgusHub
internal import Concurrency
internal import ScenarioKit
internal import ScreenKit
internal import Services
internal import SimulatedDevice
internal import Simulation

extension ArgusWorld {
    /// What has become of a code that was sent.
    struct Attempt: Sendable {
        /// Whether the device is paired then.
        let isPaired: Bool
        /// What the screen says; `nil` where it says nothing.
        let message: String?
        /// How many codes were shown until one was the hub's.
        var codes = 1
    }

    /// Types a code, and sends it once, or twice at once as impatient people do.
    func enter(_ code: String, twice isDoubled: Bool = false) async throws -> Attempt {
        try await onPhone(within: Self.pairingLimit, "a pairing") { phone in
            let screen = phone.screens.pairing
            await screen.send(.dismissAlert)
            await screen.send(.setCode(code))
            if isDoubled {
                async let first: Void = screen.send(.submit)
                async let second: Void = screen.send(.submit)
                _ = await (first, second)
            } else {
                await screen.send(.submit)
            }
            let progress = screen.state.progress
            return Attempt(
                isPaired: phone.app.auth.isAuthenticated.value,
                message: progress.showErrorAlert ? progress.errorMessage : nil
            )
        }
    }

    /// Has the app show a code, and has a person confirm it at a hub; where another hub has given it, the app is asked for another one.
    ///
    /// - Parameters:
    ///   - hub: The hub at which the person is.
    ///   - confirming: What happens while the code is shown, before it is confirmed.
    func showCode(
        confirmedAt hub: ArgusHub,
        confirming: () async throws -> Void = {}
    ) async throws -> Attempt {
        var message: String?
        // The hub at home, a neighbour's, and the relay.
        for number in 1...3 {
            let shown = try await onPhone(within: Self.pairingLimit, "a code") { phone in
                let screen = phone.screens.pairing
                await screen.send(.dismissAlert)
                await screen.send(.requestCode)
                return (code: screen.state.shown?.code, message: screen.state.progress.errorMessage)
            }
            message = shown.message
            guard let code = shown.code, hub.waitingCodes.contains(code) else { continue }
            try await confirming()
            _ = hub.confirm(code)
            var attempt = try await onPhone(within: Self.codeLimit, "a pairing") {
                await Self.end(of: $0)
            }
            attempt.codes = number
            return attempt
        }
        return Attempt(isPaired: try await onPhone { $0.app.auth.isAuthenticated.value }, message: message)
    }

    /// What becomes of the code that is shown, when it is shown no longer.
    @MainActor
    static func end(of phone: ArgusPhone) async -> Attempt {
        let screen = phone.screens.pairing
        for await state in screen.states.values() where state.shown == nil { break }
        let progress = screen.state.progress
        return Attempt(
            isPaired: phone.app.auth.isAuthenticated.value,
            message: progress.showErrorAlert ? progress.errorMessage : nil
        )
    }

    /// Pairs with a hub by one code, which the hub shows, or the app.
    func pair(with hub: ArgusHub) async throws -> Attempt {
        switch hub.project.dialect {
        case .seed: try await enter(hub.makeCode())
        case .hub: try await showCode(confirmedAt: hub)
        }
    }

    /// Pairs with new codes until one is taken, as often as faults of the world want it.
    func pair() async throws {
        for _ in 0..<5 {
            if try await pair(with: hub).isPaired { return }
            try await Task.sleep(for: .seconds(20))
        }
        try base.checkUndisturbed(false, "a device can be paired", "five codes were refused")
    }

    /// Ends all faults and what the scenario has done to the network, and pairs: that has to succeed whatever came before.
    func recover() async throws {
        base.heal()
        relay.set(.open)
        await stranger.leave(.goodbye)
        // Wrong codes are forgiven then, and connections that stand still have ended.
        try await Task.sleep(for: .seconds(400))
        // A session whose refresh token was used up by a lost answer ends now, and not in the middle of what comes. The first
        // question may go over a connection that stands still.
        let goesOn = try await onPhone { phone in
            for _ in 0..<2 { try? await phone.app.auth.refreshAccessToken() }
            return phone.app.auth.isAuthenticated.value
        }
        if goesOn { return }
        for _ in 0..<3 where try await !pair(with: hub).isPaired {
            try await Task.sleep(for: .seconds(20))
        }
        let isPaired = try await onPhone { $0.app.auth.isAuthenticated.value }
        try ScenarioKit.check(
            isPaired,
            "when all is well again a device can be paired",
            "three codes were refused"
        )
    }

    /// Ends the session, as the person wants it.
    func signOut() async throws {
        try await onPhone(within: Self.callLimit, "a sign-out") { await $0.screens.root.send(.signOut) }
        let (isIn, root) = try await onPhone {
            ($0.app.auth.isAuthenticated.value, $0.screens.root.state.root)
        }
        try ScenarioKit.check(
            !isIn && root == .pairing && !keepsSession,
            "a sign-out ends the session, on the phone too",
            "signed in: \(isIn), \(root), kept: \(keepsSession)"
        )
    }

    /// Whether the phone has kept a session.
    var keepsSession: Bool {
        ((try? secrets.secret(named: KeychainService.sessionName)) ?? nil) != nil
    }

    /// The part that is shown is the one that the session on the phone wants.
    func checkRoot() async throws {
        let (root, isKept) = try await onPhone { [self] phone in
            // States follow the app in turns of their own, for which a pool of threads that is late takes its time.
            var seen: (root: RootViewModel.Root, isKept: Bool)
            var tries = 0
            repeat {
                try await Task.sleep(for: .milliseconds(50))
                seen = (phone.screens.root.state.root, keepsSession)
                tries += 1
            } while seen.root != (seen.isKept ? .events : .pairing) && tries < 20
            return seen
        }
        try ScenarioKit.check(
            root == (isKept ? .events : .pairing),
            "the list is shown where there is a session, and the pairing where there is none",
            "\(root), kept: \(isKept)"
        )
    }

    /// Ends the process at any time of something that is under way, and starts it again.
    ///
    /// - Parameters:
    ///   - limit: How long it goes on at most.
    ///   - work: What is under way.
    /// - Returns: `nil` where it was not done by then.
    func kill<Value: Sendable>(
        within limit: Duration,
        while work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let working = Task { try await work() }
        let milliseconds = limit / .milliseconds(1)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...Int(milliseconds))))
        base.device.crash()
        var value: Value?
        do { value = try await working.value } catch is NodeCrashed {}
        try await restart()
        return value
    }

    /// Starts the process again: a session outlives it.
    func restartKeepingSession() async throws {
        let kept = keepsSession
        let start = hub.log.count
        try await restart()
        try await checkRoot()
        try ScenarioKit.check(
            keepsSession == kept || hub.hasEndedSession(since: start),
            "a session outlives the process",
            "kept: \(kept), then \(keepsSession)"
        )
    }

    /// What holds of every pairing, whoever shows the code.
    ///
    /// - Parameters:
    ///   - attempt: What the app says of it.
    ///   - start: How long the log of the hub was before.
    ///   - taken: How often the hub has taken the code.
    ///   - maySurplus: Whether the hub may have taken it, and the phone not know it.
    ///   - seen: What was seen, for people.
    func check(
        _ attempt: Attempt,
        since start: Int,
        taken: Int,
        maySurplus: Bool,
        _ seen: String
    ) throws {
        // A process that was started again may have found that its session has ended.
        try ScenarioKit.check(
            attempt.isPaired == keepsSession || hub.hasEndedSession(since: start),
            "a device that is paired has kept its session, and one that is not has kept nothing",
            "\(seen), kept: \(keepsSession)"
        )
        try ScenarioKit.check(
            !attempt.isPaired || taken >= 1,
            "a device is paired by a code that the hub has taken",
            seen
        )
        try base.checkUndisturbed(
            taken == (attempt.isPaired ? 1 : 0) || maySurplus,
            "there is one session too many only where an answer was lost",
            seen
        )
    }
}
