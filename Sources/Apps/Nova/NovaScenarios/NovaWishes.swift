internal import Nova
internal import NovaServer
internal import Probes
internal import ScenarioKit
internal import ScreenKit
internal import Simulation

/// What a person has wished for posts by taps that the screen has confirmed: what they may expect in the end.
struct NovaWishes {
    /// Where somebody taps.
    enum Place { case feed, detail, profile }

    private struct Wish {
        var isLiked: Bool
        /// Whether Nova may have something else: a second device has had a wish, or the phone has died during the tap.
        var isOpen = false
    }

    /// How often something was tapped.
    private(set) var count = 0
    private var wishes: [String: Wish] = [:]
    /// Wishes that the app has given up.
    private var givenUp = 0
    private var deaths = 0

    /// A second device of the person has a wish for a post: which one comes last is open until the next tap.
    mutating func contest(_ postID: String) { wishes[postID] = Wish(isLiked: false, isOpen: true) }

    /// Taps the heart of a post, where the place shows it.
    mutating func tap(_ postID: String, _ place: Place, _ world: NovaWorld) async throws {
        let tapped = try await world.attempt("a tap") { phone -> Tapped in
            try await Self.open(postID, place, phone)
            guard let before = Self.card(postID, place, phone) else { return .nothing }
            switch place {
            case .feed: await phone.screens.feed.send(.toggleLike(postID: postID))
            case .detail, .profile: await phone.screens.post.send(.toggleLike)
            }
            guard let after = Self.card(postID, place, phone) else { return .nothing }
            return .done(before.post, after.post, phone.screens.feed.state.errorMessage)
        }
        guard let tapped else {
            deaths += 1
            wishes[postID] = Wish(isLiked: false, isOpen: true)
            return
        }
        guard case .done(let before, let after, let message) = tapped, message == nil else { return }
        count += 1
        sometimes("a like is tapped in a profile", place == .profile)
        sometimes("a like is tapped in a detail", place == .detail)
        try world.check(
            after.isLiked == !before.isLiked,
            "a like is shown in the step of its tap",
            "\(postID) in \(place)"
        )
        // Nova's own answer to an older tap is the same as what was shown for it.
        try world.check(
            after.likeCount == max(0, before.likeCount + (after.isLiked ? 1 : -1)),
            "a like counts one more in the step of its tap, and taking it back one less",
            "\(postID) in \(place): \(before.likeCount), then \(after.likeCount)"
        )
        wishes[postID] = Wish(isLiked: !before.isLiked, isOpen: false)
    }

    private enum Tapped {
        case nothing
        case done(Post, Post, String?)
    }

    @MainActor
    private static func open(_ postID: String, _ place: Place, _ phone: NovaPhone) async throws {
        switch place {
        case .feed: await phone.screens.root.send(.select(.feed))
        case .detail: await phone.screens.root.send(.navigate(.postDetail(postID: postID)))
        case .profile:
            await phone.screens.root.send(.select(.profile))
            // It loads by itself.
            try await Task.sleep(for: .seconds(1))
            guard phone.screens.profile.state.posts.contains(where: { $0.id == postID }) else { return }
            await phone.screens.profile.send(.open(postID: postID))
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
    }

    @MainActor
    private static func card(_ postID: String, _ place: Place, _ phone: NovaPhone) -> PostCard? {
        switch place {
        case .feed: phone.screens.feed.state.posts.first { $0.id == postID }
        case .detail, .profile: phone.screens.post.state.post.flatMap { $0.id == postID ? $0 : nil }
        }
    }

    /// Ends the scenario where a screen shows something else than the last wish, and that was not given up.
    mutating func look(_ world: NovaWorld) async throws {
        let ids = wishes.filter { !$0.value.isOpen }.keys.sorted()
        let shown = try await world.attempt("a look") { phone -> [String: Set<Bool>] in
            // States follow the app in turns of their own.
            try await Task.sleep(for: .milliseconds(100))
            return Dictionary(
                uniqueKeysWithValues: ids.map { id in (id, Set(phone.cards(id).map(\.post.isLiked))) }
            )
        }
        guard let shown else { return deaths += 1 }
        for id in ids {
            let seen = shown[id] ?? []
            try world.check(seen.count <= 1, "a post is the same on every screen", id)
            guard let isShown = seen.first, let wish = wishes[id], isShown != wish.isLiked else { continue }
            try world.check(
                world.isGivenUp(id),
                "a wish is shown until it is given up",
                "\(id) is shown as \(isShown); \(world.watch.story(of: id)); told: \(world.told.texts)"
            )
            sometimes("a like is given up")
            // Nothing is said of a post that is gone.
            if world.nova.post(id) != nil { givenUp += 1 }
            wishes[id] = Wish(isLiked: isShown, isOpen: true)
        }
    }

    /// Ends the scenario where Nova has something else than the last wish that was confirmed, and the person was not told.
    func judge(_ world: NovaWorld) throws {
        var givenUp = givenUp
        for (id, wish) in wishes.sorted(by: { $0.key < $1.key }) where !wish.isOpen {
            guard let post = world.nova.post(id) else { continue }
            let isLiked = post.likerIDs.contains(world.ada.id)
            // No screen has shown the post meanwhile.
            if isLiked != wish.isLiked, world.isGivenUp(id) {
                givenUp += 1
                continue
            }
            try world.check(
                isLiked == wish.isLiked,
                "Nova has the last wish for a post, or it was given up",
                "\(id) is liked: \(isLiked), and the wish was \(wish.isLiked); \(world.watch.story(of: id))"
            )
        }
        let notices = world.told.texts.count { $0.contains("was not saved") }
        // A notice goes with the process that has shown it, and nothing is said of what a service has done twice.
        try world.check(
            notices >= givenUp || deaths > 0 || world.base.device.crashes > 0
                || world.hasStruck("nova.keysForgotten"),
            "a notice says what is given up",
            "\(givenUp) wishes were given up, and told was \(world.told.texts)"
        )
    }
}
