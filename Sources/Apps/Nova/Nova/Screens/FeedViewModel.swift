public import Concurrency
public import ScreenKit

/// The newest posts.
///
/// It loads by itself when it appears, once in each session.
@MainActor
public final class FeedViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The posts, as far as they are loaded.
        public var posts: [PostCard] = []
        /// How far loading has come.
        public var list: ListState = ListState()
        /// Why the last like was not kept; `nil` where it was.
        public var errorMessage: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Loads the feed, at first what was kept for less than half a minute.
        case load
        /// Loads the feed in the place of all that is known of it.
        case refresh
        /// A post is seen; the last one has further ones loaded.
        case appeared(postID: String)
        /// Loads further posts.
        case loadMore
        /// Likes a post, or takes that back.
        case toggleLike(postID: String)
        /// Opens a post.
        case open(postID: String)
        /// Opens the comments on a post.
        case openComments(postID: String)
        /// Opens the profile of a person.
        case openProfile(userID: String)
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let appearing = OwnedTasks()
    private var errorMessage: String?
    private var shown = ShownPosts()

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        guard let session = app.session else { return State() }
        let list = session.feed.list
        return State(
            posts: shown.cards(of: list.ids, in: session.store),
            list: list.state,
            errorMessage: errorMessage
        )
    }

    /// The state follows the app; where nothing was loaded in this session, it is loaded.
    public func appear() {
        model.follow()
        guard app.session?.feed.list.isUntouched == true else { return }
        appearing.replace(with: [Task { [weak self] in await self?.loadInitial() }])
    }

    /// The state stays as it is; a loading that was begun goes on.
    public func disappear() { model.unfollow() }

    /// Shows what the present session has.
    func reset() {
        errorMessage = nil
        model.refresh()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        let feed = app.session?.feed
        switch action {
        case .load: await loadInitial()
        case .refresh: await feed?.refresh()
        case .appeared(let postID):
            app.analytics.track(.postImpression(postID))
            if postID == feed?.list.ids.last { await feed?.list.loadMore() }
        case .loadMore: await feed?.list.loadMore()
        case .toggleLike(let postID): toggleLike(postID)
        case .open(let postID):
            app.analytics.track(.postTap(postID))
            navigator.navigate(to: .postDetail(postID: postID))
        case .openComments(let postID): navigator.navigate(to: .comments(postID: postID))
        case .openProfile(let userID): navigator.navigate(to: .profile(userID: userID))
        }
        model.refresh()
    }

    private func loadInitial() async {
        app.analytics.track(.feedView)
        await app.session?.feed.loadInitial()
    }

    private func toggleLike(_ postID: String) {
        errorMessage = nil
        do { try app.session?.toggleLike(postID) } catch { errorMessage = error.text }
    }
}
