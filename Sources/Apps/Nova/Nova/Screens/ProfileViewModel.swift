public import Concurrency
public import ScreenKit

/// The person that the window is at, and their newest posts: oneself on the tab, or somebody who was opened.
@MainActor
public final class ProfileViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The person; `nil` where none is shown.
        public var user: User?
        /// Whether it is the signed-in person, and so can be edited.
        public var isOwn: Bool = false
        /// The newest posts.
        public var posts: [PostCard] = []
        /// How far loading has come.
        public var list: ListState = ListState()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Reads person and posts, also again after a failure.
        case load
        /// Opens a post.
        case open(postID: String)
        /// Opens the form of one's own profile.
        case edit
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let following = OwnedTasks()
    private let opening = OwnedTasks()
    private var opened: String?
    private var shown = ShownPosts()

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes, navigator.place])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private var userID: String? {
        navigator.topmost { if case .profile(let userID) = $0 { userID } else { nil } }
            ?? (navigator.place.value.tab == .profile ? app.session?.userID : nil)
    }

    private func makeState() -> State {
        guard let session = app.session, let userID else { return State() }
        let list = session.profile(of: userID)
        return State(
            user: session.store.user(userID),
            isOwn: userID == session.userID,
            posts: shown.cards(of: list.ids, in: session.store),
            list: list.state
        )
    }

    /// The state follows the app, and each person that is opened is read.
    public func appear() {
        model.follow()
        following.replace(with: [navigator.place.onChange { [weak self] in self?.follow() }])
    }

    /// The state stays as it is; a loading that was begun goes on.
    public func disappear() {
        following.cancelAll()
        model.unfollow()
    }

    private func follow() {
        guard userID != opened else { return }
        opened = userID
        guard let userID else { return }
        app.analytics.track(.profileView(userID: userID))
        opening.replace(with: [Task { [weak self] in await self?.send(.load) }])
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .load: if let userID { await app.session?.profile(of: userID).load() }
        case .open(let postID):
            app.analytics.track(.postTap(postID))
            navigator.navigate(to: .postDetail(postID: postID))
        case .edit: if userID == app.session?.userID { navigator.navigate(to: .editProfile) }
        }
        model.refresh()
    }
}
