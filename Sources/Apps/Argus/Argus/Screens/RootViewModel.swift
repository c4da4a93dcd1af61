public import Concurrency
public import ScreenKit
internal import Services

/// Which part of the app is shown.
@MainActor
public final class RootViewModel: Screen {
    /// The parts.
    public enum Root: String, Codable, Sendable, Hashable {
        /// Whether this device is paired is being found out.
        case launching
        /// The code is asked for.
        case pairing
        /// The list of events.
        case events
    }

    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The part.
        public var root: Root = .launching
        /// The event whose detail is shown over the list; `nil` where none is.
        public var eventID: String?
        /// Notifications that have arrived, the newest last.
        public var notices: [Notice] = []
        /// Whether the hub is reached on the local network.
        public var isLocal: Bool = false
    }

    /// A notification as it is shown.
    public struct Notice: Codable, Hashable, Sendable {
        /// What tells it from others.
        public var id: String
        /// What is shown first.
        public var title: String
        /// What is shown below.
        public var body: String
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Opens an event.
        case open(eventID: String)
        /// Taps a notice.
        case tap(noticeID: String)
        /// Closes the detail.
        case close
        /// Ends the session.
        case signOut
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: ArgusApp
    private let model: ScreenModel<State>

    init(_ app: ArgusApp) {
        self.app = app
        model = ScreenModel(
            State(),
            sources: [
                app.navigation, app.auth.isAuthenticated, app.push.shown, app.discovery.localDeviceURL,
            ]
        )
        states = model.states
        model.derive = { [weak app] in
            guard let app else { return nil }
            let navigation = app.navigation.value
            let isAuthenticated = app.auth.isAuthenticated.value
            return State(
                root: !navigation.isChecked ? .launching : isAuthenticated ? .events : .pairing,
                eventID: navigation.isChecked && isAuthenticated
                    && navigation.session ?? app.auth.session == app.auth.session
                    ? navigation.eventID : nil,
                notices: isAuthenticated
                    ? app.push.arrived.map { Notice(id: $0.id, title: $0.title, body: $0.body) } : [],
                isLocal: app.discovery.localDeviceURL.value != nil
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
        case .open(let id): app.show(eventID: id)
        case .tap(let id):
            if let notice = app.push.arrived.last(where: { $0.id == id }) {
                app.push.handleNotification(notice)
            }
        case .close: app.show(eventID: nil)
        case .signOut: await app.signOut()
        }
        model.refresh()
    }
}
