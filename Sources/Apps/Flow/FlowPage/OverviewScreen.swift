package import Concurrency
internal import Flow
internal import ScreenKit

/// What stands around a flow: whether one is shown, how the last one has ended, and what was collected so far.
@MainActor
package final class OverviewScreen: Screen {
    /// All that the page shows; no secret is in it.
    package struct State: Codable, Hashable, Sendable {
        /// Whether a flow is shown.
        var isShown = false
        /// How the last one has ended; `nil` where none has.
        var result: CompletionResult?
        var email = ""
        var fullName = ""
        /// A day of the calendar: `1990-12-31`.
        var dateOfBirth = ""
        var address = ""
        var city = ""
    }

    package enum Action: Codable, Hashable, Sendable {
        /// Begins a flow, unless one is shown.
        case start
    }

    package nonisolated let states: Published<State>

    private let page: FlowPage
    private let model: ScreenModel<State>

    init(_ page: FlowPage) {
        self.page = page
        let session = page.app.session
        model = ScreenModel(State(), sources: [session.changes, page.place])
        states = model.states
        model.derive = {
            let (place, info) = (page.place.value, session.userInfo)
            var state = State(isShown: place.isShown, result: place.result)
            state.email = info.authenticationData.email
            state.fullName = info.flowData.step1Data?.fullName ?? ""
            state.dateOfBirth = info.flowData.step1Data?.dateOfBirth ?? ""
            state.address = info.flowData.step2Data?.address ?? ""
            state.city = info.flowData.step2Data?.city ?? ""
            return state
        }
    }

    package func appear() { model.follow() }
    package func disappear() { model.unfollow() }

    package func send(_ action: Action) async {
        switch action {
        case .start: if !page.place.value.isShown { page.begin() }
        }
        model.refresh()
    }
}
