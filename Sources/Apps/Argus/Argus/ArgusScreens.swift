internal import Concurrency
public import ScreenKit

/// All screens of one window.
@MainActor
public final class ArgusScreens {
    /// Which part is shown.
    public let root: RootViewModel
    /// The code.
    public let pairing: PairingViewModel
    /// The events.
    public let events: EventListViewModel
    /// The detail of the event that is open.
    public let detail: OpenedDetail
    /// The hub, and what has become of notifications.
    public let settings: SettingsViewModel

    private let app: ArgusApp
    private let following = OwnedTasks()

    init(_ app: ArgusApp) {
        self.app = app
        root = RootViewModel(app)
        pairing = PairingViewModel(app.auth)
        events = EventListViewModel(app.api, app.auth, thumbnails: app.thumbnails)
        detail = OpenedDetail(root) { id in
            EventDetailViewModel(id, app.api, app.auth, thumbnails: app.thumbnails)
        }
        settings = SettingsViewModel(app)
    }

    /// The screen of an event.
    public func detail(of eventID: String) -> EventDetailViewModel {
        EventDetailViewModel(eventID, app.api, app.auth, thumbnails: app.thumbnails)
    }

    /// All that are always there, by name, for pages and recordings.
    public var named: [EncodedScreen] {
        [
            EncodedScreen("root", root), EncodedScreen("pairing", pairing), EncodedScreen("events", events),
            EncodedScreen("detail", detail), EncodedScreen("settings", settings),
        ]
    }

    /// The window is shown: states follow the app, and the list appears as soon as it is the part that is shown.
    public func appear() {
        root.appear()
        pairing.appear()
        detail.appear()
        settings.appear()
        following.replace(with: [
            root.states.onChange { [weak self] in self?.showList() },
            app.push.shown.onChange { [weak self] in self?.noteArrival() },
        ])
        showList()
    }

    /// The window is not shown any more.
    public func disappear() {
        following.cancelAll()
        root.disappear()
        pairing.disappear()
        detail.disappear()
        settings.disappear()
        events.disappear()
    }

    private func showList() { if root.state.root == .events { events.appear() } }

    /// A notification has arrived, and so has an event: the list looks for it.
    private func noteArrival() { Task { [weak self] in await self?.events.loadNewer() } }
}
