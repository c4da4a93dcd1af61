public import Concurrency
public import ScreenKit

/// What concerns the person, the newest first.
@MainActor
public final class NotificationsViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The notifications, as far as they are loaded.
        public var notifications: [NovaNotification] = []
        /// How far loading has come.
        public var list: ListState = ListState()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Loads the first ones in the place of all.
        case load
        /// Loads further ones.
        case loadMore
        /// Opens what a notification is about: a post, its comments, or a person; nothing for kinds that this app does not know.
        case tap(id: String)
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let appearing = OwnedTasks()

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes])
        states = model.states
        model.derive = { [weak app] in
            guard let session = app?.session else { return State() }
            let list = session.notifications
            return State(
                notifications: list.ids.compactMap { session.store.notification($0) },
                list: list.state
            )
        }
    }

    /// The state follows the app, and notifications are loaded.
    public func appear() {
        model.follow()
        appearing.replace(with: [Task { [weak self] in await self?.send(.load) }])
    }

    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Shows what the present session has.
    func reset() { model.refresh() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        let list = app.session?.notifications
        switch action {
        case .load: await list?.load()
        case .loadMore: await list?.loadMore()
        case .tap(let id):
            app.analytics.track(.notificationOpen(id))
            if let route = app.session?.store.notification(id)?.route { navigator.navigate(to: route) }
        }
        model.refresh()
    }
}
