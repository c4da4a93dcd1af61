public import Concurrency
public import ScreenKit

/// The detail that lies over the list: that of the event that the app is at, whichever it is.
@MainActor
public final class OpenedDetail: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The event whose detail is open; `nil` where none is.
        public var eventID: String?
        /// What is known of it.
        public var detail: EventDetailViewModel.State = EventDetailViewModel.State()
    }

    /// All that the user can do.
    public typealias Action = EventDetailViewModel.Action

    /// The present state and all later ones.
    public nonisolated let states: Published<State>
    /// The screen of the event; `nil` where none is open.
    public private(set) var detail: EventDetailViewModel?

    private let root: RootViewModel
    private let make: @MainActor (String) -> EventDetailViewModel
    private let model: ScreenModel<State>
    private let following = OwnedTasks()
    private let followingDetail = OwnedTasks()

    /// - Parameters:
    ///   - root: Knows which event is open.
    ///   - make: Makes the screen of an event.
    init(_ root: RootViewModel, _ make: @escaping @MainActor (String) -> EventDetailViewModel) {
        (self.root, self.make) = (root, make)
        model = ScreenModel(State(), sources: [])
        states = model.states
        model.derive = { [weak self] in
            guard let self else { return nil }
            guard let detail else { return State() }
            return State(eventID: detail.eventID, detail: detail.state)
        }
    }

    /// The screen of the event that is open appears, and so does that of each later one.
    public func appear() {
        model.follow()
        following.replace(with: [root.states.onChange { [weak self] in self?.follow() }])
        detail?.appear()
        follow()
    }

    /// The state stays as it is.
    public func disappear() {
        following.cancelAll()
        followingDetail.cancelAll()
        detail?.disappear()
        model.unfollow()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        await detail?.send(action)
        model.refresh()
    }

    private func follow() {
        let eventID = root.state.eventID
        if eventID != detail?.eventID || detail?.isOver == true {
            detail?.disappear()
            detail = eventID.map(make)
            detail?.appear()
        }
        followingDetail.replace(
            with: detail.map { [$0.states.onChange { [weak self] in self?.model.refresh() }] } ?? []
        )
        model.refresh()
    }
}
