public import Concurrency
public import ScreenKit

/// Finds people by their names, 300 ms after the last keystroke.
@MainActor
public final class SearchViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// What is looked for, as it is typed.
        public var query: String = ""
        /// Who was found for that, or for what was typed a moment ago.
        public var users: [User] = []
        /// How far loading has come.
        public var list: ListState = ListState()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Looks for people soon; a blank text clears what is shown.
        case setQuery(String)
        /// Looks again after a failure, now.
        case retry
        /// Loads further people.
        case loadMore
        /// Opens the profile of a person who was found.
        case open(userID: String)
    }

    /// How long after the last keystroke Nova is asked.
    public static let pause: Duration = .milliseconds(300)

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let navigator: NovaNavigator
    private let model: ScreenModel<State>
    private let asking = OwnedTasks()
    private var query = ""
    /// Who was found for a text.
    private struct Found {
        var query: String
        var list: PagedList
    }

    /// What is shown.
    private var found: Found?
    /// What Nova was asked for last, until its answer takes the place of what is shown; answers for an earlier text go nowhere.
    private var asked: Found?

    init(_ app: NovaApp, _ navigator: NovaNavigator) {
        (self.app, self.navigator) = (app, navigator)
        model = ScreenModel(State(), sources: [app.changes])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        guard let session = app.session else { return State() }
        return State(
            query: query,
            users: found?.list.ids.map { session.store.user($0) } ?? [],
            list: (asked ?? found)?.list.state ?? ListState()
        )
    }

    /// The state follows the app, and a text for which nobody was found yet is looked for soon.
    public func appear() {
        model.follow()
        if !query.trimmed.isEmpty, found?.query != query.trimmed { askSoon() }
    }

    /// The state stays as it is, and nothing is looked for any more.
    public func disappear() {
        asking.cancelAll()
        asked = nil
        model.unfollow()
    }

    /// Nothing is typed.
    func reset() {
        asking.cancelAll()
        (query, found, asked) = ("", nil, nil)
        model.refresh()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .setQuery(let query): set(String(query.prefix(100)))
        case .retry: await ask()
        case .loadMore: if asked == nil { await found?.list.loadMore() }
        case .open(let userID):
            app.analytics.track(.searchResultClick(userID: userID, query: found?.query ?? query.trimmed))
            navigator.navigate(to: .profile(userID: userID))
        }
        model.refresh()
    }

    private func set(_ query: String) {
        guard query != self.query else { return }
        self.query = query
        guard !query.trimmed.isEmpty else { return reset(to: query) }
        askSoon()
    }

    private func askSoon() {
        asking.replace(with: [
            Task { [weak self] in
                // The next keystroke may have come just when the time was over.
                guard (try? await Task.sleep(for: Self.pause)) != nil, !Task.isCancelled else { return }
                await self?.ask()
            }
        ])
    }

    private func reset(to blank: String) {
        reset()
        query = blank
    }

    private func ask() async {
        let query = query.trimmed
        guard let session = app.session, !query.isEmpty else { return }
        let list = PagedList(changed: { [weak app] in app?.changed() }) {
            [api = session.api, store = session.store] page in
            let reading = store.begin()
            let found = try await api.users(matching: query, page: page)
            for user in found.items { store.take(user, of: reading) }
            return PagedList.Found(ids: found.items.map(\.id), hasMore: found.hasMore)
        }
        asked = Found(query: query, list: list)
        app.analytics.track(.searchSubmit(query: query))
        await list.load()
        // What was shown stays until the answer is there; of several the one that was asked for last.
        if let asked, asked.list === list {
            self.asked = nil
            if !Task.isCancelled { found = asked }
        }
        model.refresh()
    }
}
