internal import Concurrency
internal import Nova
internal import ScreenKit

/// Whose pictures the screens of a window show: a page has no others asked for.
@MainActor
struct ShownPictures {
    private let posts: [PostCard]
    private let people: [User]

    /// Those of the screens of an app.
    init(_ app: NovaScreens) {
        self.init(
            root: app.root.states.value,
            feed: app.feed.states.value,
            profile: app.profile.states.value,
            post: app.post.states.value,
            comments: app.comments.states.value,
            search: app.search.states.value,
            notifications: app.notifications.states.value
        )
    }

    /// Those of screens that are seen from elsewhere.
    init(_ screens: [EncodedScreen]) {
        func state<State: Decodable>(_ name: String) -> State? {
            try? screens.first { $0.name == name }?.state()
        }
        self.init(
            root: state("root"),
            feed: state("feed"),
            profile: state("profile"),
            post: state("post"),
            comments: state("comments"),
            search: state("search"),
            notifications: state("notifications")
        )
    }

    private init(
        root: RootViewModel.State?,
        feed: FeedViewModel.State?,
        profile: ProfileViewModel.State?,
        post: PostDetailViewModel.State?,
        comments: CommentsViewModel.State?,
        search: SearchViewModel.State?,
        notifications: NotificationsViewModel.State?
    ) {
        let posts = (feed?.posts ?? []) + (profile?.posts ?? []) + [post?.post].compactMap(\.self)
        self.posts = posts
        people =
            posts.map(\.post.author) + (comments?.comments ?? []).map(\.author) + (search?.users ?? [])
            + (notifications?.notifications ?? []).map(\.actor)
            + [profile?.user, root?.user].compactMap(\.self)
    }

    /// Whether a picture at an address is among them.
    func contains(_ address: String) -> Bool {
        posts.contains { $0.post.imageURL == address } || people.contains { $0.avatarURL == address }
    }
}
