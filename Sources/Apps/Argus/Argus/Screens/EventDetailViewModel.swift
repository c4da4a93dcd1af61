public import Concurrency
internal import Foundation
public import ScreenKit

/// One event, with its picture.
///
/// It loads by itself when it appears, unless that was begun before.
@MainActor
public final class EventDetailViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The event; `nil` before it is loaded.
        public var event: EventRow?
        /// How many bytes its picture has; `nil` while there is none.
        public var thumbnailBytes: Int?
        /// Whether it is being loaded.
        public var isLoading: Bool = false
        /// Why the loading failed, for the error view with its retry; `nil` where it did not.
        public var errorMessage: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Loads the event, also again after an error.
        case load
    }

    /// The event that is shown.
    public let eventID: String
    /// The picture, as the hub has it; `nil` while there is none, and when the session is over.
    public var thumbnail: [UInt8]? { isOfSession ? picture : nil }
    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let api: any HubAPI
    private let auth: AuthService
    private let model: ScreenModel<State>
    private let thumbnails: EventThumbnails
    private let appearing = OwnedTasks()
    private let session: Int
    private var picture: [UInt8]?
    private var row: EventRow?
    private var errorMessage: String?
    private var loading: Int?
    private var loadings = 0

    /// Creates the screen of an event; nothing is loaded before it appears, or is asked for.
    ///
    /// - Parameters:
    ///   - eventID: The event.
    ///   - api: The calls of the hub.
    ///   - auth: Knows whether this device is paired.
    ///   - thumbnails: The pictures, where other screens have them as well.
    public init(
        _ eventID: String,
        _ api: any HubAPI,
        _ auth: AuthService,
        thumbnails: EventThumbnails? = nil
    ) {
        (self.eventID, self.api, self.auth) = (eventID, api, auth)
        self.thumbnails = thumbnails ?? EventThumbnails(api, auth)
        session = auth.session
        model = ScreenModel(State(), sources: [auth.isAuthenticated])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        guard isOfSession else { return State() }
        return State(
            event: row,
            thumbnailBytes: thumbnail?.count,
            isLoading: loading != nil,
            errorMessage: errorMessage
        )
    }

    /// The state follows the app; where this device is paired, and nothing was loaded or has failed, the event is loaded.
    public func appear() {
        model.follow()
        guard isUntouched else { return }
        appearing.replace(with: [Task { [weak self] in await self?.loadFirst() }])
    }

    /// The state stays as it is; what is being loaded is given up.
    public func disappear() {
        model.unfollow()
        loading = nil
        appearing.cancelAll()
    }

    private func loadFirst() async {
        guard !Task.isCancelled, isUntouched, auth.isAuthenticated.value else { return }
        await loadEvent()
    }

    /// Whether nothing was loaded, is being loaded, or has failed.
    private var isUntouched: Bool { row == nil && loading == nil && errorMessage == nil }

    /// Whether another session has taken the place of that in which it was opened.
    var isOver: Bool { session != auth.session }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .load: await loadEvent()
        }
    }

    /// Loads the event and the names of the cameras side by side, then its picture; an event without its picture is shown all the same.
    public func loadEvent() async {
        guard session == auth.session else { return }
        loadings += 1
        let number = loadings
        loading = number
        errorMessage = nil
        model.refresh()
        let api = api
        do {
            async let event = api.fetchEventDetail(id: eventID)
            async let cameras = try? api.fetchCameras()
            let (found, names) = (try await event, await cameras ?? [])
            guard isPresent(number) else { return }
            let namesByID = Dictionary(names.map { ($0.id, $0.name) }) { first, _ in first }
            func show(_ thumbnail: EventRow.Thumbnail) {
                row = EventRow(found, cameras: namesByID, thumbnail: thumbnail)
                model.refresh()
            }
            show(found.thumbnailURL == nil ? .none : picture == nil ? .loading : .shown)
            if found.thumbnailURL != nil {
                let fetched = await thumbnails.picture(of: found)
                guard isPresent(number) else { return }
                picture = fetched ?? picture
                show(picture == nil ? .missing : .shown)
            }
        } catch {
            guard isPresent(number) else { return }
            if !(error is CancellationError) { errorMessage = error.localizedDescription }
        }
        loading = nil
        model.refresh()
    }

    private var isOfSession: Bool { auth.isAuthenticated.value && session == auth.session }

    private func isPresent(_ number: Int) -> Bool { session == auth.session && loading == number }
}
