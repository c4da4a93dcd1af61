public import Concurrency
public import ScreenKit

/// The post that the window is at.
@MainActor
public final class PostDetailViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The post that is open; `nil` where none is.
        public var postID: String?
        /// What is known of it.
        public var post: PostCard?
        /// Whether it is being read.
        public var isLoading: Bool = false
        /// Why it was not read, or a like was not kept; `nil` where there is no reason.
        public var errorMessage: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Reads the post, also again after a failure.
        case load
        /// Likes it, or takes that back.
        case toggleLike
        /// Opens its comments.
        case openComments
        /// Opens the profile of its author.
        case openAuthor
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let following = OwnedTasks()
    private let opening = OwnedTasks()
    private var opened: String?
    private var isLoading = false
    private var errorMessage: String?
    private var loadings = 0

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes, navigator.place])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private var postID: String? {
        navigator.topmost { if case .postDetail(let postID) = $0 { postID } else { nil } }
    }

    private func makeState() -> State {
        guard let session = app.session, let postID else { return State() }
        return State(
            postID: postID,
            post: session.store.post(postID),
            isLoading: isLoading,
            errorMessage: opened == postID ? errorMessage : nil
        )
    }

    /// The state follows the app, and each post that is opened is read.
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
        guard let postID, postID != opened else {
            if postID == nil { opened = nil }
            return
        }
        opening.replace(with: [Task { [weak self] in await self?.load() }])
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .load: await load()
        case .toggleLike:
            guard let postID else { break }
            errorMessage = nil
            do { try app.session?.toggleLike(postID) } catch { errorMessage = error.text }
        case .openComments: if let postID { navigator.navigate(to: .comments(postID: postID)) }
        case .openAuthor:
            if let author = state.post?.post.author { navigator.navigate(to: .profile(userID: author.id)) }
        }
        model.refresh()
    }

    /// Reads the post; of two readings the later one counts.
    private func load() async {
        guard let session = app.session, let postID else { return }
        loadings += 1
        let number = loadings
        (opened, isLoading, errorMessage) = (postID, true, nil)
        model.refresh()
        let reading = session.store.begin()
        let outcome: Result<Post, any Error>
        do { outcome = .success(try await session.api.post(postID)) } catch { outcome = .failure(error) }
        if case .success(let post) = outcome { session.store.take([post], of: reading) }
        guard number == loadings else { return }
        isLoading = false
        if case .failure(let error as NovaError) = outcome { errorMessage = error.text }
        app.changed()
        model.refresh()
    }
}
