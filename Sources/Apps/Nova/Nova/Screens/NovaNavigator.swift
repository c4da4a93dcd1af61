internal import Concurrency

/// Where one window is.
@MainActor
final class NovaNavigator {
    /// The tab, and what lies over it, the topmost last.
    struct Place: Sendable, Hashable {
        var tab: NovaTab = .feed
        var path: [Route] = []
    }

    /// How much lies over a tab at most; then the lowest goes.
    private static let deepest = 100

    nonisolated let place: Published<Place>
    private let current = CurrentValue(Place(), backlog: 1)

    init() { place = current.published }

    /// Shows a tab, and nothing over it.
    func select(_ tab: NovaTab) { current.set(Place(tab: tab)) }

    /// Shows something over what is shown.
    func navigate(to route: Route) {
        current.update { place in
            place.path.append(route)
            place.path.removeFirst(max(0, place.path.count - Self.deepest))
        }
    }

    /// Shows what lies below.
    func back() { current.update { _ = $0.path.popLast() } }

    /// The topmost of one kind; `nil` where there is none.
    func topmost<Subject>(_ subject: (Route) -> Subject?) -> Subject? {
        place.value.path.reversed().lazy.compactMap(subject).first
    }
}
