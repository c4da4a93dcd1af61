internal import Concurrency
internal import ScreenKit

/// The simulated home beside the app, where there is one.
@MainActor
final class HomeScreen: Screen {
    /// All that the page shows.
    struct State: Codable, Hashable, Sendable {
        /// What the home shows; `nil` for hubs of others.
        var home: HomeState?
    }

    /// All that a person can do in the home.
    enum Action: Codable, Hashable, Sendable {
        case setHub(isAtHome: Bool)
        case setInternet(isOn: Bool)
        case ring
        case showCode
    }

    nonisolated let states: Published<State>

    private let home: (any HomeControls)?
    private let model: ScreenModel<State>

    init(_ home: (any HomeControls)?) {
        self.home = home
        model = ScreenModel(State(), sources: home.map { [$0.states] } ?? [])
        states = model.states
        model.derive = { State(home: home?.states.value) }
    }

    func appear() { model.follow() }
    func disappear() { model.unfollow() }

    func send(_ action: Action) async {
        switch action {
        case .setHub(let isAtHome): await home?.setHub(isAtHome: isAtHome)
        case .setInternet(let isOn): await home?.setInternet(isOn: isOn)
        case .ring: home?.ring()
        case .showCode: home?.showCode()
        }
        model.refresh()
    }
}
