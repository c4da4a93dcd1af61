internal import Nova
internal import NovaServer
internal import ScenarioKit
internal import ScreenKit
internal import SimulatedDisk
internal import Simulation

extension NovaWorld {
    /// How often somebody tries to sign in, while faults of the world keep them from it.
    private static let mostTries = 12

    /// Has a person sign in, as often as faults of the world want it, and waits for the feed.
    func signIn(_ user: NovaUser) async throws {
        watch.expectAll(of: user.id)
        for _ in 0..<Self.mostTries {
            _ = try await attempt("a sign-in") { phone in
                let screen = phone.screens.signIn
                await screen.send(.dismissAlert)
                await screen.send(.setEmail(user.email))
                await screen.send(.setPassword(EnteredSecret(user.password)))
                await screen.send(.submit)
            }
            if try await isSignedIn { break }
            try await Task.sleep(for: .seconds(20))
        }
        let isIn = try await isSignedIn
        try base.checkUndisturbed(isIn, "a person can sign in", "\(Self.mostTries) tries have failed")
        guard !isIn else { return try await Task.sleep(for: .seconds(1)) }
        // Whatever keeps the person out ends with the faults.
        base.heal()
        try await Task.sleep(for: .seconds(400))
        try await signInOnceMore(user)
    }

    /// Signs Ada in where her session has ended.
    ///
    /// A session may end at any time: a call to renew it that was held up, and whose answer nobody waits for, uses up the token that a later one goes with.
    ///
    /// - Throws: `PropertyViolation` where it has ended though Nova has not refused to renew it.
    func signInAgain() async throws {
        guard try await !isSignedIn else { return }
        try check(
            watch.hasRefusedSession,
            "a session ends only where Nova has refused to renew it",
            "the app shows its entry"
        )
        try await signIn(ada)
    }

    private func signInOnceMore(_ user: NovaUser) async throws {
        for _ in 0..<3 where try await !isSignedIn {
            _ = try await attempt("a sign-in") { phone in
                await phone.screens.signIn.send(.setEmail(user.email))
                await phone.screens.signIn.send(.setPassword(EnteredSecret(user.password)))
                await phone.screens.signIn.send(.submit)
            }
        }
        try check(try await isSignedIn, "when all is well a person can sign in", "three tries have failed")
    }

    /// Whether the app shows the tabs of somebody who is signed in.
    var isSignedIn: Bool {
        get async throws {
            try await attempt("a look") { phone in
                // States follow the app in turns of their own.
                try await Task.sleep(for: .milliseconds(50))
                return phone.screens.root.state.root == .main
            } ?? false
        }
    }

    /// Ends all faults, signs Ada in where her session has ended, and waits until nothing waits any longer.
    ///
    /// - Throws: `PropertyViolation` where something waits for longer than any answer, key or hint of the service can hold it up.
    func recover() async throws {
        base.heal()
        base.disk.keepPower()
        base.goOnline()
        if !base.device.isAlive { try await switchOn() }
        nova.revokeAccessTokens()
        // A session whose refresh token was used up by a lost answer ends now; the first call may go over a connection that stands still.
        for _ in 0..<3 { _ = try await attempt("a look") { await $0.screens.notifications.send(.load) } }
        var waiting = -1
        // Up to four hours: a service may ask for an hour, and a call may take one.
        for round in 0..<60 {
            try await signInAgain()
            waiting =
                try await attempt(within: .seconds(400), "the queue") { phone in
                    await phone.app.enterForeground()
                    try await Task.sleep(for: .seconds(61 + 6 * round))
                    let root = phone.screens.root.state
                    return root.root == .main ? root.pendingCount : -1
                } ?? -1
            if waiting == 0 { break }
        }
        let queue = try await onPhone { $0.screens.root.state }
        try check(waiting == 0, "when all is well nothing waits any longer", "\(queue)")
    }
}
