public import Concurrency
public import ScreenKit
internal import ServiceClient

/// The hub that this device is paired with, how it is reached, and what has become of notifications.
@MainActor
public final class SettingsViewModel: Screen {
    /// How the hub is reached.
    public enum Way: String, Codable, Hashable, Sendable {
        /// At its address on the local network.
        case local
        /// Through the relay.
        case relay
        /// Not at all: it is not found, and there is no relay.
        case none
    }

    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Whether this device is paired.
        public var isPaired: Bool = false
        /// What the hub calls itself; `nil` where it does not say, or none is paired.
        public var hubID: String?
        /// How the next call goes.
        public var way: Way = .none
        /// Where it goes; `nil` where there is no way.
        public var address: String?
        /// What has become of the registration for notifications.
        public var notifications: PushService.Registration = .unknown
        /// Whether the next launch will know of the pairing.
        public var isSessionKept: Bool = true
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
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
                app.auth.isAuthenticated, app.auth.tokens.isKept, app.discovery.localDeviceURL,
                app.push.registration,
            ]
        )
        states = model.states
        model.derive = { [weak app] in app.map(Self.state) }
    }

    private static func state(_ app: ArgusApp) -> State {
        let isPaired = app.auth.isAuthenticated.value
        let address = app.discovery.baseURL
        let isLocal = app.discovery.localDeviceURL.value != nil
        var state = State(isPaired: isPaired, notifications: app.push.registration.value)
        if isPaired, case .known(let id)? = app.discovery.paired { state.hubID = id }
        state.way = isLocal ? .local : address == nil ? .none : .relay
        state.address = address?.description
        state.isSessionKept = app.auth.tokens.isKept.value
        return state
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .signOut: await app.signOut()
        }
        model.refresh()
    }
}
