internal import Nova
internal import NovaServer
internal import ScenarioKit
internal import ScreenKit

extension NovaWorld {
    /// Reads the whole feed from its first page on.
    ///
    /// - Returns: Its posts; `nil` where a page has failed, the session has ended, or the phone has died.
    func readFeed() async throws -> [PostCard]? {
        try await attempt(within: .seconds(2_000), "a feed") { phone -> [PostCard]? in
            let feed = phone.screens.feed
            await feed.send(.refresh)
            while feed.state.list.goesOn {
                await feed.send(.loadMore)
                try await Task.sleep(for: .milliseconds(50))
            }
            // States follow the app in turns of their own.
            try await Task.sleep(for: .milliseconds(50))
            guard phone.screens.root.state.root == .main else { return nil }
            return feed.state.list.errorMessage == nil ? feed.state.posts : nil
        } ?? nil
    }

    /// Ends the scenario unless the feed, the profile and each post show what Nova has; all has to be well.
    func checkShown() async throws {
        var posts: [PostCard]?
        // The first may go over a connection that stands still, or end the session.
        for _ in 0..<3 where posts == nil {
            try await signInAgain()
            posts = try await readFeed()
        }
        guard let posts else {
            return try check(false, "when all is well the feed can be read", "three tries have failed")
        }
        let there = nova.posts
        let ids = posts.map(\.id)
        try check(
            ids == there.map(\.id),
            "when all is well the feed is Nova's",
            "\(ids) for \(there.map(\.id))"
        )
        for (card, post) in zip(posts, there) { try compare(card, post, "the feed") }
        let own = try await attempt("the profile") { phone in
            await phone.screens.root.send(.select(.profile))
            // It loads by itself as well, and what ends first may not be the newest.
            await phone.screens.profile.send(.load)
            while phone.screens.profile.state.list.isLoading {
                try await Task.sleep(for: .milliseconds(50))
            }
            return phone.screens.profile.state.posts
        }
        for card in own ?? [] {
            guard let post = nova.post(card.id) else {
                try check(false, "when all is well the profile is Nova's", "\(card.id) is gone")
                continue
            }
            try compare(card, post, "the profile")
        }
    }

    private func compare(_ card: PostCard, _ post: NovaPostSnapshot, _ place: String) throws {
        let shown = (card.post.isLiked, card.post.likeCount, card.post.commentCount)
        let there = (post.likerIDs.contains(ada.id), post.likerIDs.count, post.comments.count)
        try check(
            shown == there && !card.isPending,
            "when all is well a post is shown as Nova has it",
            "\(place) shows \(shown) of \(post.id), pending: \(card.isPending), and Nova has \(there)"
        )
    }
}

extension ListState {
    /// Whether something is being loaded, or more can be.
    var goesOn: Bool { errorMessage == nil && (hasMore || isLoading || isLoadingMore) }
}
