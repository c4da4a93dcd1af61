public import Concurrency
public import Foundation
public import Lens
public import ScreenKit

/// One photo or video, large.
@MainActor
public final class PreviewScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The item; `nil` when none is shown, or it was deleted.
        public var item: GalleryItem?
        /// What there is to play; `nil` for a photo, and where the video cannot be read.
        public var video: Videos.Description?
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that shows nothing.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Queues the item for upload, also when that has failed before.
        case upload
        /// Deletes the item, here and on the disk.
        case delete
        /// Asks the assistant about the video; of a photo nothing.
        case analyse
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    /// The item that is shown.
    var id: UUID? {
        didSet {
            if id != oldValue {
                failure = nil
                read()
            }
            model.refresh()
        }
    }

    private let app: LensApp
    private let analyse: @MainActor @Sendable (UUID) async -> Void
    private let model: ScreenModel<State>
    private var failure: (alert: ScreenAlert, action: Action)?
    private var video: Videos.Description?
    private let reading = OwnedTasks()

    /// Creates the screen of an app, which shows nothing yet.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - analyse: Goes to the analysis of a video.
    public init(_ app: LensApp, analyse: @escaping @MainActor @Sendable (UUID) async -> Void = { _ in }) {
        self.app = app
        self.analyse = analyse
        model = ScreenModel(State(), sources: [app.gallery.content])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        var state = State()
        state.item = id.flatMap(app.gallery.item).map(GalleryItem.init)
        if state.item?.kind == .video { state.video = video }
        state.alert = failure?.alert
        return state
    }

    private func read() {
        video = nil
        guard let id, app.gallery.item(id)?.kind == .video else { return reading.cancelAll() }
        reading.replace(with: [
            Task { [weak self, app] in
                let video = await app.videos.description(of: id)
                guard let self, self.id == id else { return }
                self.video = video
                self.model.refresh()
            }
        ])
    }

    /// Follows the gallery.
    public func appear() { model.follow() }

    /// Follows the gallery no longer.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .upload:
            await attempt(action, "The upload was not queued") { try await self.app.gallery.upload($0) }
        case .delete:
            await attempt(action, "The item was not deleted") { try await self.app.gallery.delete([$0]) }
        case .analyse: if let id, app.gallery.item(id)?.kind == .video { await analyse(id) }
        case .retry:
            guard let failed = failure, failed.alert.offersRetry else { return }
            await send(failed.action)
        case .dismissAlert: failure = nil
        }
        model.refresh()
    }

    private func attempt(_ action: Action, _ title: String, _ work: (UUID) async throws -> Void) async {
        guard let id else { return }
        failure = nil
        do {
            try await work(id)
        } catch {
            // Another item is shown meanwhile: what is repeated would be done to that one.
            guard id == self.id else { return }
            failure = (ScreenAlert(title, error, offersRetry: true), action)
        }
    }
}
