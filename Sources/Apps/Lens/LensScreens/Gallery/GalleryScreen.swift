import AppKernel
public import Concurrency
public import Foundation
public import Lens
public import ScreenKit

/// The photos and videos: a grid with badges, and a selection.
@MainActor
public final class GalleryScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The items, newest first: the newest, or a page of earlier ones.
        public var items: [GalleryItem] = []
        /// Whether there are older items than these.
        public var hasEarlier: Bool = false
        /// Whether there are newer items than these.
        public var hasLater: Bool = false
        /// The selected items, in the order of ``items``.
        public var selection: [UUID] = []
        /// Items that cannot be shown, because their rows are damaged.
        public var damagedItems: Int = 0
        /// Deleted items whose objects are still to be removed from the storage.
        public var leftAtStore: Int = 0
        /// Whether something is being deleted.
        public var isLoading: Bool = false
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case select(UUID)
        case deselect(UUID)
        /// Selects all items that are shown.
        case selectAll
        case clearSelection
        /// Shows the page of items before those that are shown; nothing is selected then.
        case showEarlier
        /// Shows the newest items; nothing is selected then.
        case showNewest
        /// Deletes what is selected, here and on the disk.
        case deleteSelection
        /// Queues an item for upload, also one that has failed.
        case upload(UUID)
        /// Queues what is selected and not uploaded.
        case uploadSelection
        /// Asks the assistant about a video; of anything else nothing.
        case analyse(UUID)
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let analyse: @MainActor @Sendable (UUID) async -> Void
    private let model: ScreenModel<State>
    private var selected: Set<UUID> = []
    /// The first item of the page that is shown instead of the newest.
    private var first: MediaItem?
    private var activities = 0
    private var failure: (alert: ScreenAlert, work: Work)?
    private var dismissedGallery: DatabaseFailure?
    private var dismissedQueue: DatabaseFailure?
    private var dismissedRemoval: UploadError?

    /// What is done with items, and can be repeated with the same ones, whatever is selected then.
    private enum Work {
        case deletion(Set<UUID>)
        case upload([UUID])
    }

    /// Creates the screen of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - analyse: Goes to the analysis of a video.
    public init(_ app: LensApp, analyse: @escaping @MainActor @Sendable (UUID) async -> Void = { _ in }) {
        self.app = app
        self.analyse = analyse
        model = ScreenModel(
            State(),
            sources: [
                app.gallery.content, app.gallery.failure, app.uploads.failure, app.uploads.removals,
                app.uploads.removalFailure,
            ]
        )
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        let content = app.gallery.content.value
        let page = content.page(from: first)
        if !page.hasLater { first = nil }
        var state = State()
        state.items = page.items.map(GalleryItem.init)
        state.hasEarlier = page.next != nil
        state.hasLater = page.hasLater
        state.selection = state.items.map(\.id).filter(selected.contains)
        state.damagedItems = content.damagedRows
        state.leftAtStore = app.uploads.removals.value.count
        state.isLoading = activities > 0
        if app.gallery.failure.value == nil { dismissedGallery = nil }
        if app.uploads.failure.value == nil { dismissedQueue = nil }
        state.alert = failure?.alert
        if state.alert == nil, let unread = unreadGallery ?? unreadQueue {
            state.alert = ScreenAlert("The gallery is not up to date", unread)
        }
        let left = app.uploads.removalFailure.value
        if left == nil { dismissedRemoval = nil }
        if state.alert == nil, let left, left != dismissedRemoval {
            state.alert = ScreenAlert("What was deleted is still at the storage", left, offersRetry: true)
        }
        return state
    }

    /// Why the gallery could not be read, unless that was closed.
    private var unreadGallery: DatabaseFailure? {
        app.gallery.failure.value.flatMap { $0 == dismissedGallery ? nil : $0 }
    }

    /// Why the queue could not be read, unless that was closed.
    private var unreadQueue: DatabaseFailure? {
        app.uploads.failure.value.flatMap { $0 == dismissedQueue ? nil : $0 }
    }

    /// Closes the alert that is shown; what was not shown yet is shown next, unless it says the same.
    private func dismissAlert() {
        if failure != nil {
            failure = nil
            return
        }
        guard let shown = unreadGallery ?? unreadQueue else {
            dismissedRemoval = app.uploads.removalFailure.value
            return
        }
        if app.gallery.failure.value == shown { dismissedGallery = shown }
        if app.uploads.failure.value == shown { dismissedQueue = shown }
    }

    /// Follows the gallery.
    public func appear() { model.follow() }

    /// Follows the gallery no longer.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .select(let id): selected.insert(id)
        case .deselect(let id): selected.remove(id)
        case .selectAll: selected = Set(app.gallery.content.value.page(from: first).items.map(\.id))
        case .clearSelection: selected = []
        case .showEarlier:
            guard let next = app.gallery.content.value.page(from: first).next else { break }
            (first, selected) = (next, [])
        case .showNewest: (first, selected) = (nil, [])
        case .deleteSelection: await perform(.deletion(Set(state.selection)))
        case .upload(let id): await perform(.upload([id]))
        case .uploadSelection: await perform(.upload(state.selection))
        case .analyse(let id): if app.gallery.item(id)?.kind == .video { await analyse(id) }
        case .retry:
            guard let failed = failure else { return retryRemovals() }
            guard failed.alert.offersRetry else { return }
            await perform(failed.work)
        case .dismissAlert: dismissAlert()
        }
        model.refresh()
        // What is not shown any more is not selected: nothing is deleted that nobody sees.
        selected = Set(state.selection)
    }

    private func perform(_ work: Work) async {
        switch work {
        case .deletion(let ids):
            guard !ids.isEmpty else { return }
            await attempt(work, "The selection was not deleted") {
                try await self.app.gallery.delete(ids)
                self.selected.subtract(ids)
            }
        case .upload(let ids):
            await attempt(work, "The upload was not queued") {
                for id in ids where self.app.gallery.item(id)?.remoteURL == nil {
                    try await self.app.gallery.upload(id)
                }
            }
        }
    }

    private func retryRemovals() {
        guard app.uploads.removalFailure.value != nil else { return }
        // A queue that cannot be written says so itself.
        try? app.uploads.retryRemovals()
        model.refresh()
    }

    private func attempt(_ work: Work, _ title: String, _ perform: () async throws -> Void) async {
        failure = nil
        activities += 1
        model.refresh()
        do {
            try await perform()
        } catch {
            failure = (ScreenAlert(title, error, offersRetry: true), work)
        }
        activities -= 1
    }
}
