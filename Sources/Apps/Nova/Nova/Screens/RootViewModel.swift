internal import AppKernel
public import Concurrency
public import ScreenKit

/// Which part of the app is shown, and what concerns all parts.
@MainActor
public final class RootViewModel: Screen {
    /// The parts.
    public enum Root: String, Codable, Sendable, Hashable {
        /// Whether somebody is signed in is being found out.
        case launching
        /// Somebody has to sign in.
        case signIn
        /// The tabs.
        case main
    }

    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The part.
        public var root: Root = .launching
        /// The tab, where the tabs are shown.
        public var tab: NovaTab = .feed
        /// What lies over the tab, the topmost last.
        public var path: [Route] = []
        /// The signed-in person; `nil` where nobody is.
        public var user: User?
        /// `No connection`, where that keeps what the person has done from Nova; `nil` otherwise.
        public var connection: String?
        /// How much of what the person has done Nova does not have yet.
        public var pendingCount: Int = 0
        /// What has failed for good, the newest last; also where nobody is signed in any more.
        public var notices: [Notice] = []
    }

    /// Something that has failed for good.
    public struct Notice: Codable, Hashable, Sendable {
        /// What tells it from others.
        public var id: Int
        /// What is shown.
        public var text: String
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Shows a tab, and nothing over it.
        case select(NovaTab)
        /// Shows something over the tab.
        case navigate(Route)
        /// Shows what lies below.
        case back
        /// A notice was read.
        case dismissNotice(id: Int)
        /// Ends the session.
        case signOut
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes, navigator.place])
        states = model.states
        model.derive = { [weak app] in
            guard let app else { return nil }
            guard let session = app.session else {
                let failure = app.signOutFailure.map { Notice(id: 0, text: $0.text) }
                return State(
                    root: app.isChecked ? .signIn : .launching,
                    notices: [failure].compactMap(\.self)
                )
            }
            let waiting = session.store.log.entries.count { !$0.isFinal }
            return State(
                root: .main,
                tab: navigator.place.value.tab,
                path: navigator.place.value.path,
                user: session.user,
                connection: waiting > 0 && !session.isReached
                    ? NovaError.noConnection.text : nil,
                pendingCount: waiting,
                notices: session.notices.map { Notice(id: $0.id, text: $0.text) }
            )
        }
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .select(let tab): navigator.select(tab)
        case .navigate(let route): navigator.navigate(to: route)
        case .back: navigator.back()
        case .dismissNotice(let id):
            if let session = app.session { session.dismiss(id) } else { app.dismissSignOutFailure() }
        case .signOut:
            await app.signOut()
            navigator.select(.feed)
        }
        model.refresh()
    }
}
