public import Concurrency
public import ScreenKit

/// The welcome, while a session begins.
@MainActor
public final class SplashViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Why the session did not begin.
        public var errorMessage: String = ""
        /// Whether that is to be shown.
        public var showErrorAlert: Bool = false
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Tries again.
        case retry
        case dismissAlert
        /// Ends the flow.
        case cancel
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let start: AppStartService
    private let model: ScreenModel<State>

    init(_ start: AppStartService) {
        self.start = start
        model = ScreenModel(State(), sources: [start.failure])
        states = model.states
        model.derive = {
            let failure = start.failure.value
            return State(errorMessage: failure ?? "", showErrorAlert: failure != nil)
        }
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .retry: start.retry()
        case .dismissAlert: start.dismissFailure()
        case .cancel: start.cancel()
        }
        model.refresh()
    }
}
