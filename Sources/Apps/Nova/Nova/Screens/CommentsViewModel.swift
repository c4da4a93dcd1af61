internal import AppKernel
public import Concurrency
public import Foundation
public import ScreenKit

/// The comments on the post that the window is at, the newest first.
@MainActor
public final class CommentsViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The post; `nil` where none is open.
        public var postID: String?
        /// The comments, as far as they are loaded, with those that Nova does not have yet.
        public var comments: [CommentRow] = []
        /// How far loading has come.
        public var list: ListState = ListState()
        /// The comment, as it is typed.
        public var text: String = ""
        /// Whether it can be sent: it is not blank.
        public var canSend: Bool = false
        /// Why the last one was not kept; `nil` where it was.
        public var errorMessage: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Reads the comments, also again after a failure.
        case load
        /// Reads further ones.
        case loadMore
        case setText(String)
        /// Comments with the text that is typed; a blank one is not sent.
        case send
        /// Sends a comment again that has failed, by its ``CommentRow/id``.
        case retry(id: String)
        /// Takes back a comment that waits or has failed, by its ``CommentRow/id``.
        case discard(id: String)
        /// Opens the profile of a person.
        case openProfile(userID: String)
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    /// The longest comment, in characters.
    public static let longest: Int = 1_000

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let following = OwnedTasks()
    private let opening = OwnedTasks()
    private var opened: String?
    private var text = ""
    private var errorMessage: String?

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes, navigator.place])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private var postID: String? {
        navigator.topmost { if case .comments(let postID) = $0 { postID } else { nil } }
    }

    private func makeState() -> State {
        guard let session = app.session, let postID else { return State() }
        return State(
            postID: postID,
            comments: session.commentRows(on: postID),
            list: session.comments(on: postID).state,
            text: text,
            canSend: !text.trimmed.isEmpty,
            errorMessage: errorMessage
        )
    }

    /// The state follows the app, and the comments of each post that is opened are read.
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
        guard postID != opened else { return }
        (opened, text, errorMessage) = (postID, "", nil)
        guard let postID else { return }
        app.analytics.track(.commentView(postID: postID))
        opening.replace(with: [Task { [weak self] in await self?.send(.load) }])
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        // The comments may have been opened in this step.
        follow()
        guard let session = app.session, let postID else { return }
        switch action {
        case .load: await session.comments(on: postID).load()
        case .loadMore: await session.comments(on: postID).loadMore()
        case .setText(let text): self.text = String(text.prefix(Self.longest))
        case .send: comment(on: postID, session)
        case .retry(let id): attempt { () throws(NovaError) in try session.retry(id) }
        case .discard(let id): attempt { () throws(NovaError) in try session.discard(id) }
        case .openProfile(let userID): navigator.navigate(to: .profile(userID: userID))
        }
        model.refresh()
    }

    private func comment(on postID: String, _ session: NovaSession) {
        let written = text.trimmed
        guard !written.isEmpty else { return }
        attempt { () throws(NovaError) in
            try session.comment(on: postID, written)
            text = ""
        }
    }

    private func attempt(_ action: () throws(NovaError) -> Void) {
        errorMessage = nil
        do { try action() } catch { errorMessage = error.text }
    }
}

/// A comment as it is shown.
public struct CommentRow: Codable, Hashable, Sendable, Identifiable {
    /// How far it has come.
    public enum Delivery: String, Codable, Hashable, Sendable {
        /// Nova has it.
        case sent
        /// Nova does not have it yet.
        case pending
        /// It has failed for good, and can be sent again.
        case failed
    }

    /// What tells it from others: Nova's name, or one of this device until Nova has it.
    public var id: String
    /// The person that has written it.
    public var author: User
    /// What is written.
    public var text: String
    /// When it was written.
    @NovaTime public var createdAt: Date
    /// How far it has come.
    public var delivery: Delivery
    /// Why it has failed; `nil` where it has not.
    public var failure: String?
}

extension NovaSession {
    /// How far the clocks of Nova and of this device may differ for a comment to be recognised, in seconds.
    private static let clockTolerance: TimeInterval = 300

    /// The comments on a post as they are shown: those that wait, and what is loaded.
    ///
    /// One that Nova has and whose answer was lost is listed already: it is not shown twice.
    func commentRows(on postID: String) -> [CommentRow] {
        var listed = comments(on: postID).ids.compactMap { store.comment($0) }
        let done = Set(
            store.log.done.compactMap {
                if case .commented(let comment) = $0.effect { comment.id } else { nil }
            }
        )
        let waiting = store.log.comments(on: postID).map { entry, text in
            if entry.attempts > 0,
                let twin = listed.firstIndex(where: { listed in
                    listed.author.id == userID && listed.text == text && !done.contains(listed.id)
                        && listed.createdAt > entry.addedAt - Self.clockTolerance
                })
            {
                listed.remove(at: twin)
            }
            return CommentRow(
                id: entry.identity,
                author: user,
                text: text,
                createdAt: entry.addedAt,
                delivery: entry.isFinal ? .failed : .pending,
                failure: entry.isFinal ? entry.reason.map(Self.text) : nil
            )
        }
        return waiting
            + listed.map {
                CommentRow(
                    id: $0.id,
                    author: $0.author,
                    text: $0.text,
                    createdAt: $0.createdAt,
                    delivery: .sent
                )
            }
    }
}
