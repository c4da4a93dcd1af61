public import Concurrency
internal import Foundation
public import ScreenKit

/// The events of all cameras, the newest first.
///
/// It loads by itself when it appears, once in each session, and then the pictures of its rows; all later loadings are asked for.
@MainActor
public final class EventListViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The events, as far as they are loaded.
        public var rows: [EventRow] = []
        /// Whether the first page was loaded in this session.
        public var isLoaded: Bool = false
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
        /// Looks for events that are newer than those that are shown.
        case loadNewer
        /// Does again what has failed.
        case retry
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let api: any HubAPI
    private let auth: AuthService
    private let model: ScreenModel<State>
    private let thumbnails: EventThumbnails
    private lazy var pictures = RowThumbnails(thumbnails) { [weak self] in self?.model.refresh() }
    private let appearing = OwnedTasks()
    private var isShown = false
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
        /// Whether newer events are being looked for, and whether that is to be done once more.
        var isLoadingNewer = false
        var wantsNewer = false
    }
    private var loadings = 0

    /// Creates the screen; nothing is loaded before it appears, or is asked for.
    ///
    /// - Parameters:
    ///   - api: The calls of the hub.
    ///   - auth: Knows whether this device is paired.
    ///   - thumbnails: The pictures, where other screens have them as well.
    public init(_ api: any HubAPI, _ auth: AuthService, thumbnails: EventThumbnails? = nil) {
        (self.api, self.auth) = (api, auth)
        self.thumbnails = thumbnails ?? EventThumbnails(api, auth)
        model = ScreenModel(State(), sources: [auth.isAuthenticated])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        guard auth.isAuthenticated.value, content.session == auth.session else { return State() }
        return State(
            rows: content.events.map { event in
                EventRow(event, cameras: content.cameras, thumbnail: pictures.state(of: event))
            },
            isLoaded: content.page > 0,
            isLoading: content.loading != nil,
            isLoadingMore: content.loadingPage != nil,
            hasMore: content.hasMore,
            errorMessage: content.errorMessage
        )
    }

    /// The state follows the app; where this device is paired, and nothing was loaded or has failed in this session, it is loaded.
    public func appear() {
        model.follow()
        if !isShown {
            isShown = true
            pictures.show(content.events)
        }
        guard isUntouched else { return }
        appearing.replace(with: [Task { [weak self] in await self?.loadFirst() }])
    }

    /// The state stays as it is; a loading that was begun goes on, but for that of pictures.
    public func disappear() {
        model.unfollow()
        isShown = false
        pictures.stop()
    }

    private func loadFirst() async {
        guard !Task.isCancelled, isUntouched, auth.isAuthenticated.value else { return }
        await loadEvents()
    }

    /// Whether nothing was loaded in this session, is being loaded, or has failed.
    private var isUntouched: Bool {
        content.session != auth.session
            || content.page == 0 && content.loading == nil && content.errorMessage == nil
    }

    /// The picture of a row, as it is kept, or as the hub has it; `nil` where there is none.
    public func thumbnail(of eventID: String) async -> [UInt8]? {
        guard content.session == auth.session, let event = content.events.first(where: { $0.id == eventID })
        else { return nil }
        return await thumbnails.picture(of: event)
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .load, .refresh: await loadEvents()
        case .loadMore: await loadMore()
        case .loadNewer: await loadNewer()
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
        (content.isLoadingNewer, content.wantsNewer) = (false, false)
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
        guard session == auth.session, content.session == session, content.loading == number else {
            return model.refresh()
        }
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
        guard session == auth.session, content.session == session, number == loadings else {
            return model.refresh()
        }
        content.loadingPage = nil
        switch outcome {
        case .success(let response): take(response)
        case .failure(let error):
            content.failedPage = page
            fail(error)
        }
        model.refresh()
    }

    /// Looks for events that are newer than those that are shown, where the first page is there; what is asked for meanwhile is done once afterwards.
    ///
    /// A failure changes nothing: what is shown is as good as before.
    public func loadNewer() async {
        let session = auth.session
        guard content.session == session, content.page > 0, content.loading == nil else { return }
        content.wantsNewer = true
        guard !content.isLoadingNewer else { return }
        content.isLoadingNewer = true
        while content.wantsNewer {
            content.wantsNewer = false
            let number = loadings
            let response = try? await api.fetchEvents(page: 1)
            // A newer loading, or another session, has taken over.
            guard session == auth.session, content.session == session, number == loadings else { return }
            if let response { putFirst(response) }
            model.refresh()
        }
        content.isLoadingNewer = false
    }

    /// Puts the first page before what is shown; where nothing of it is known, there may be more between them, and it is all that is shown.
    private func putFirst(_ response: EventsResponse) {
        var ids: Set<String> = []
        let first = response.events.filter { ids.insert($0.id).inserted }
        let others = content.events.filter { !ids.contains($0.id) }
        if others.count < content.events.count || others.isEmpty {
            content.events = first + others
        } else {
            // A page that is under way would leave out those before it.
            loadings += 1
            content.loadingPage = nil
            (content.events, content.page) = (first, 1)
        }
        content.hasMore = !first.isEmpty && content.events.count < response.total
        if isShown { pictures.show(content.events) }
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
        // Events that came meanwhile can fill a page with what is known; a hub that ignores the number of the page does it each time, and says 1.
        let isAsked = response.page == content.page && content.page * APIClient.pageSize < response.total
        content.hasMore = (!new.isEmpty || isAsked) && content.events.count < response.total
        if isShown { pictures.show(content.events) }
    }

    private func fail(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        content.errorMessage = error.localizedDescription
    }
}
