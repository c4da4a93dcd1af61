internal import Foundation
internal import Nova
internal import NovaServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import SimulatedDisk
internal import Simulation

/// Two people use one phone in turn, and each signs out in the middle of what is under way.
public struct NovaSignOut: Scenario, NovaScenario {
    /// The command-line name.
    public static let name = "nova-sign-out"
    /// One sentence.
    public static let summary =
        "after a sign-out nothing of the person is shown, kept or sent, whatever was under way, and nobody acts for another"
    /// What a sweep over it should reach.
    public static let expects = [
        "a person signs out during a call", "a person signs out offline", "the other person signs in",
        "the phone dies after a sign-out",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("rounds", \.rounds, in: 1...1_000, "Sessions, one after the other.")
    ]

    /// Sessions, one after the other.
    public var rounds = 4
    package var adjust: NovaAdjustment = { _ in }

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = NovaOptions(posts: 3...10, adjust)
        // Words that stand nowhere else.
        for index in 0..<2 { options.project.users[index].bio = "Bio of person \(index) xq" }
        let world = try await NovaWorld.start(options)
        for round in 0..<rounds {
            let (person, other) = (
                world.nova.project.users[round % 2], world.nova.project.users[(round + 1) % 2]
            )
            let secret = "Secret\(round)xq"
            let work = try await begin(secret, world)
            sometimes("a person signs out during a call")
            let isOut = try await signOut(person, [secret, person.bio ?? ""], world)
            work.cancel()
            _ = await work.result
            world.base.heal()
            world.base.goOnline()
            try await Task.sleep(for: .seconds(Int.random(in: 0...100)))
            // What waits for somebody whose session Nova has ended stays.
            if isOut { try await checkForgotten([secret, person.bio ?? ""], world) }
            sometimes("the other person signs in")
            try await world.signIn(other)
            try await Task.sleep(for: .seconds(Int.random(in: 0...200)))
            // What Nova has made public the other person may see.
            try await checkForgotten(["\(secret) draft", "\(secret) query"], world)
            try await checkOwn(other, world)
        }
        try world.watch.check()
        try await world.base.shutdown()
        return ScenarioSummary(["requests": world.nova.requestCount])
    }

    /// Begins all that a person can have under way.
    private func begin(_ secret: String, _ world: NovaWorld) async throws -> Task<Void, Never> {
        for _ in 0..<Int.random(in: 0...2) {
            NovaTrouble.arm(NovaTrouble.ofLikes + NovaTrouble.ofPublishing, world)
        }
        if Int.random(in: 0..<3) == 0 {
            sometimes("a person signs out offline")
            world.base.goOffline()
        }
        let post = world.nova.posts.randomElement()?.id ?? ""
        _ = try await world.attempt("typing") { phone in
            let screens = phone.screens
            await screens.root.send(.navigate(.comments(postID: post)))
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...100)))
            await screens.comments.send(.setText(secret))
            await screens.comments.send(.send)
            await screens.comments.send(.setText("\(secret) draft"))
            await screens.feed.send(.toggleLike(postID: post))
            await screens.search.send(.setQuery("\(secret) query"))
            await screens.root.send(.select(.create))
            await screens.create.send(.pick)
            await screens.create.send(.applyEdit)
            await screens.create.send(.setCaption(secret))
        }
        let work = Task {
            // Where the phone dies, so does what is under way.
            _ = try? await world.onPhone { phone in
                let screens = phone.screens
                async let page: Void = screens.feed.send(.refresh)
                async let found: Void = screens.search.send(.retry)
                async let profile: Void = screens.profile.send(.load)
                async let notifications: Void = screens.notifications.send(.load)
                async let published: Void = screens.create.send(.publish)
                _ = await (page, found, profile, notifications, published)
            }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...2_000)))
        return work
    }

    /// Signs a person out, and looks that nothing of them is left.
    ///
    /// - Returns: Whether they were signed in until then.
    private func signOut(_ person: NovaUser, _ words: [String], _ world: NovaWorld) async throws -> Bool {
        guard try await world.isSignedIn else { return false }
        let isOut = try await world.attempt("a sign-out") { phone in
            await phone.screens.root.send(.signOut)
            return phone.screens.root.state.root == .signIn
        }
        try world.check(isOut == true, "a sign-out ends the session at once", "\(isOut as Any)")
        world.watch.expectNothing(of: person.id)
        try await checkForgotten(words, world)
        guard Bool.random() else { return true }
        sometimes("the phone dies after a sign-out")
        world.base.device.crash()
        try await world.switchOn()
        try world.check(try await !world.isSignedIn, "who has signed out stays signed out", "after a restart")
        try await checkForgotten(words, world)
        return true
    }

    /// Ends the scenario where words of somebody who has signed out are on a screen, on the disk, or among what is kept secret.
    private func checkForgotten(_ words: [String], _ world: NovaWorld) async throws {
        let shown = try await world.attempt("a look") { phone in
            try await Task.sleep(for: .milliseconds(100))
            return try phone.screens.named.map {
                "\($0.name) \(String(decoding: try $0.state(), as: UTF8.self))"
            }
        }
        for word in words where !word.isEmpty {
            let place = shown?.first { $0.contains(word) } ?? diskPlace(of: word, world)
            try world.check(
                place == nil,
                "nothing of a person who has signed out is shown or kept",
                "“\(word)” is in \(place ?? "")"
            )
        }
    }

    /// The file in which a word is; `nil` for none.
    private func diskPlace(of word: String, _ world: NovaWorld) -> String? {
        let disk = world.base.disk
        return disk.names.first { name in
            guard let bytes = try? disk.read(name) else { return false }
            return Data(bytes).range(of: Data(word.utf8)) != nil
        }
    }

    /// Ends the scenario where the person who is signed in is shown as another one.
    private func checkOwn(_ person: NovaUser, _ world: NovaWorld) async throws {
        guard try await world.isSignedIn else { return }
        let state = try await world.attempt("a look") { $0.screens.root.state }
        guard let user = state?.user else { return }
        try world.check(
            user.id == person.id,
            "the person who has signed in is shown",
            "\(user.id), and it is \(person.id)"
        )
    }
}
