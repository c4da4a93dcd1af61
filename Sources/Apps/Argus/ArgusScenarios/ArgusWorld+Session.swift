internal import Argus
internal import ArgusHub
internal import Concurrency
internal import ScenarioKit
internal import ScreenKit
internal import Services
internal import SimulatedDevice

extension ArgusWorld {
    /// What has become of a code that was sent.
    struct Attempt: Sendable {
        /// Whether the device is paired then.
        let isPaired: Bool
        /// What the screen says; `nil` where it says nothing.
        let message: String?
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

    /// Pairs with new codes until one is taken, as often as faults of the world want it.
    func pair() async throws {
        for _ in 0..<5 {
            if try await enter(hub.makeCode()).isPaired { return }
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
        if try await onPhone({ $0.app.auth.isAuthenticated.value }) { return }
        for _ in 0..<3 where try await !enter(hub.makeCode()).isPaired {
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
            // States follow the app in turns of their own.
            try await Task.sleep(for: .milliseconds(50))
            return (phone.screens.root.state.root, keepsSession)
        }
        try ScenarioKit.check(
            root == (isKept ? .events : .pairing),
            "the list is shown where there is a session, and the pairing where there is none",
            "\(root), kept: \(isKept)"
        )
    }
}
