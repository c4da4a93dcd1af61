public import Concurrency
public import Foundation
public import ScreenKit

/// The events of all cameras, the newest first.
@MainActor
public final class EventListViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The events, as far as they are loaded.
        public var rows: [EventRow] = []
        /// Whether the first page is being loaded.
        public var isLoading: Bool = false
        /// Whether a further page is being loaded.
        public var isLoadingMore: Bool = false
        /// Whether there may be further pages.
        public var hasMore: Bool = false
        /// Why the last loading failed, for the error view with its retry; `nil` where it did not.
        public var errorMessage: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Loads the first page, also again after an error.
        case load
        /// Loads the first page in place of all that is shown.
        case refresh
        /// Loads the next page.
        case loadMore
        /// Does again what has failed.
        case retry
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let api: any HubAPI
    private let auth: AuthService
    private let model: ScreenModel<State>
    private var content = Content()

    /// What is loaded for one session.
    private struct Content {
        var session = 0
        var events: [Event] = []
        var cameras: [String: String] = [:]
        var page = 0
        var hasMore = false
        var errorMessage: String?
        /// The number of the loading of the first page that is under way.
        var loading: Int?
        /// The further page that is being loaded.
        var loadingPage: Int?
        var failedPage: Int?
    }
    private var loadings = 0

    /// Creates the screen; nothing is loaded before it is asked for.
    public init(_ api: any HubAPI, _ auth: AuthService) {
        (self.api, self.auth) = (api, auth)
        model = ScreenModel(State(), sources: [auth.isAuthenticated])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        guard auth.isAuthenticated.value, content.session == auth.session else { return State() }
        return State(
            rows: content.events.map { EventRow($0, cameras: content.cameras) },
            isLoading: content.loading != nil,
            isLoadingMore: content.loadingPage != nil,
            hasMore: content.hasMore,
            errorMessage: content.errorMessage
        )
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .load, .refresh: await loadEvents()
        case .loadMore: await loadMore()
        case .retry: if content.failedPage != nil { await loadMore() } else { await loadEvents() }
        }
    }

    /// Loads events and cameras side by side, and shows both together; a failure of either leaves what was shown.
    public func loadEvents() async {
        if content.session != auth.session { content = Content(session: auth.session) }
        loadings += 1
        let (number, session) = (loadings, auth.session)
        content.loading = number
        content.loadingPage = nil
        content.errorMessage = nil
        content.failedPage = nil
        model.refresh()
        let outcome: Result<(EventsResponse, [Camera]), any Error>
        do {
            async let events = api.fetchEvents(page: 1)
            async let cameras = api.fetchCameras()
            outcome = .success(try await (events, cameras))
        } catch { outcome = .failure(error) }
        // A newer loading, or another session, has taken over.
        guard session == auth.session, content.session == session, content.loading == number else { return }
        content.loading = nil
        switch outcome {
        case .success(let (response, cameras)):
            content.events = []
            content.cameras = Dictionary(cameras.map { ($0.id, $0.name) }) { first, _ in first }
            take(response)
        case .failure(let error): fail(error)
        }
        model.refresh()
    }

    /// Loads the next page, where there may be one and none is being loaded.
    public func loadMore() async {
        let session = auth.session
        guard content.session == session, content.loading == nil, content.loadingPage == nil, content.hasMore
        else { return }
        let (page, number) = (content.page + 1, loadings)
        content.loadingPage = page
        content.errorMessage = nil
        content.failedPage = nil
        model.refresh()
        let outcome: Result<EventsResponse, any Error>
        do { outcome = .success(try await api.fetchEvents(page: page)) } catch { outcome = .failure(error) }
        guard session == auth.session, content.session == session, number == loadings else { return }
        content.loadingPage = nil
        switch outcome {
        case .success(let response): take(response)
        case .failure(let error):
            content.failedPage = page
            fail(error)
        }
        model.refresh()
    }

    /// Adds a page.
    ///
    /// Events that came meanwhile have moved older ones to later pages: those are there already.
    private func take(_ response: EventsResponse) {
        let known = Set(content.events.map(\.id))
        var added = known
        let new = response.events.filter { added.insert($0.id).inserted }
        content.events += new
        content.page += 1
        if known.isEmpty { content.page = 1 }
        // A hub that ignores the number of the page gives the first one each time.
        content.hasMore = !new.isEmpty && content.events.count < response.total
    }

    private func fail(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        content.errorMessage = error.localizedDescription
    }
}

/// An event as the list shows it.
public struct EventRow: Codable, Hashable, Sendable, Identifiable {
    /// The event.
    public var id: String
    /// What stands for its kind.
    public var icon: EventIcon
    /// What was seen, in the words of the hub's model.
    public var description: String
    /// The name of its camera.
    public var cameraName: String
    /// When it was.
    public var time: Date
    /// Whether it has a picture.
    public var hasThumbnail: Bool

    /// An event with the name of its camera, from the names by their IDs.
    init(_ event: Event, cameras: [String: String]) {
        id = event.id
        icon = event.detectionType.icon
        description = event.description
        cameraName = cameras[event.cameraID] ?? Camera.unknownName
        time = event.timestamp
        hasThumbnail = event.thumbnailURL != nil
    }
}
