internal import Concurrency
public import ScreenKit

/// All screens of one window.
@MainActor
public final class NovaScreens {
    /// Which part is shown.
    public let root: RootViewModel
    /// Signing in.
    public let signIn: SignInViewModel
    /// The newest posts.
    public let feed: FeedViewModel
    /// People by their names.
    public let search: SearchViewModel
    /// A new post.
    public let create: CreateViewModel
    /// What concerns the person.
    public let notifications: NotificationsViewModel
    /// The person that the window is at.
    public let profile: ProfileViewModel
    /// The post that the window is at.
    public let post: PostDetailViewModel
    /// The comments that the window is at.
    public let comments: CommentsViewModel
    /// The form of one's own profile.
    public let editProfile: EditProfileViewModel

    private let app: NovaApp
    private let navigator = NovaNavigator()
    private let following = OwnedTasks()
    private var shown: NovaTab?
    private var session: Int?

    init(_ app: NovaApp) {
        self.app = app
        root = RootViewModel(app, navigator)
        signIn = SignInViewModel(app)
        feed = FeedViewModel(app, navigator)
        search = SearchViewModel(app, navigator)
        create = CreateViewModel(app, navigator)
        notifications = NotificationsViewModel(app, navigator)
        profile = ProfileViewModel(app, navigator)
        post = PostDetailViewModel(app, navigator)
        comments = CommentsViewModel(app, navigator)
        editProfile = EditProfileViewModel(app, navigator)
    }

    /// All of them by name, for pages and recordings.
    public var named: [EncodedScreen] {
        [
            EncodedScreen("root", root), EncodedScreen("signIn", signIn), EncodedScreen("feed", feed),
            EncodedScreen("search", search), EncodedScreen("create", create),
            EncodedScreen("notifications", notifications), EncodedScreen("profile", profile),
            EncodedScreen("post", post), EncodedScreen("comments", comments),
            EncodedScreen("editProfile", editProfile),
        ]
    }

    /// The window is shown: states follow the app, and a tab appears as soon as it is the one that is shown.
    public func appear() {
        for screen in always { screen.appear() }
        following.replace(with: [
            root.states.onChange { [weak self] in self?.follow() },
            app.changes.onChange { [weak self] in self?.followSession() },
        ])
        follow()
    }

    /// The window is not shown any more.
    public func disappear() {
        following.cancelAll()
        for screen in always { screen.disappear() }
        for tab in NovaTab.allCases { screen(of: tab)?.disappear() }
        shown = nil
    }

    private var always: [any Screen] { [root, signIn, profile, post, comments, editProfile] }

    private func follow() {
        let tab = root.state.root == .main ? root.state.tab : nil
        guard tab != shown else { return }
        shown.flatMap(screen(of:))?.disappear()
        shown = tab
        tab.flatMap(screen(of:))?.appear()
    }

    /// With the session goes what was shown and typed in it, also on tabs that are not shown.
    private func followSession() {
        let present = app.session == nil ? nil : app.sessions
        guard present != session else { return }
        session = present
        navigator.select(.feed)
        signIn.reset()
        feed.reset()
        notifications.reset()
        search.reset()
        create.reset()
    }

    private func screen(of tab: NovaTab) -> (any Screen)? {
        switch tab {
        case .feed: feed
        case .search: search
        case .create: create
        case .notifications: notifications
        case .profile: nil
        }
    }
}
