public import AppKernel
public import Foundation
public import Lens
public import Services

/// The camera: which one, whether it is connected, and the shutter.
@MainActor
public final class CameraScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The chosen camera.
        public var source: CameraSourceType = .local
        /// The cameras that can be chosen.
        public var sources: [CameraSourceType] = []
        /// Whether it is connected.
        public var connection: CameraSourceState = .disconnected
        /// Whether a camera is being connected, or a photo taken.
        public var isLoading: Bool = false
        /// The photo that was taken last on this screen.
        public var lastPhoto: UUID?
        /// Whether a new photo is uploaded without asking.
        public var autoUpload: Bool = false
        /// Whether the camera of this device may be used.
        public var permission: PermissionStatus = .notDetermined
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Connects the chosen camera.
        case start
        /// Turns the camera off, in every window.
        case stop
        /// Changes to another camera.
        case choose(CameraSourceType)
        /// Takes a photo, and queues it for upload when uploads are automatic.
        case capturePhoto
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let model: ScreenModel<State>
    private var activities = 0
    private var lastPhoto: UUID?
    /// Names this screen to the app while it is shown, and nothing while it is not.
    private var viewer: UUID?
    private var failure: (alert: ScreenAlert, retry: Retry)?

    /// What is done when the alert's action is repeated.
    private enum Retry {
        case action(Action)
        /// The photo is there: it is not taken once more.
        case upload(UUID)
    }

    /// Creates the screen of an app.
    public init(_ app: LensApp) {
        self.app = app
        model = ScreenModel(State(), sources: [app.camera.status, app.settings.current, app.permissions])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        let status = app.camera.status.value
        var state = State()
        state.source = status.source
        state.sources = app.cameraTypes
        state.connection = status.state
        state.isLoading = activities > 0 || status.state == .connecting
        state.lastPhoto = lastPhoto
        state.autoUpload = app.settings.current.value.autoUpload
        state.permission = app.permissions.value.camera
        state.alert = failure?.alert
        return state
    }

    /// Follows the camera, and connects it, unless it is connected or was turned off.
    public func appear() {
        guard viewer == nil else { return }
        let viewer = UUID()
        self.viewer = viewer
        model.follow()
        Task { await show(viewer) }
    }

    /// Follows the camera no longer; what ``appear()`` has connected is disconnected, unless others look at it or it is streamed.
    public func disappear() {
        guard let viewer else { return }
        self.viewer = nil
        model.unfollow()
        Task { [app] in await app.hideCamera(viewer) }
    }

    private func show(_ viewer: UUID) async {
        do {
            try await app.showCamera(viewer)
        } catch let error where !error.isOvertaken && self.viewer == viewer {
            failure = (ScreenAlert("The camera was not started", error, offersRetry: true), .action(.start))
        } catch {}
        // Hidden meanwhile, and perhaps before the app knew of it.
        if self.viewer != viewer { await app.hideCamera(viewer) }
        model.refresh()
    }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .dismissAlert: failure = nil
        case .retry:
            guard let failed = failure, failed.alert.offersRetry else { return }
            switch failed.retry {
            case .action(let action): await send(action)
            case .upload(let id):
                await attempt(failed.retry, Self.notQueued) { try await self.app.gallery.upload(id) }
            }
        case .start:
            await attempt(.action(action), "The camera was not started") {
                try await self.app.camera.connect()
            }
        case .stop:
            await attempt(.action(action), "The camera was not stopped") { await self.app.camera.turnOff() }
        case .choose(let type):
            await attempt(.action(action), "The camera was not changed") {
                try await self.app.camera.switchTo(type)
            }
        case .capturePhoto:
            await attempt(.action(action), "The photo was not taken") {
                self.lastPhoto = try await self.app.capturePhoto().id
            }
        }
        model.refresh()
    }

    private static let notQueued = "The photo was taken, but not queued for upload"

    private func attempt(_ retry: Retry, _ title: String, _ work: () async throws -> Void) async {
        failure = nil
        activities += 1
        model.refresh()
        do {
            try await work()
        } catch let error as CameraError where error.isOvertaken {
            // The user has thought better of it.
        } catch PhotoCaptureError.notQueued(let item, let error) {
            lastPhoto = item.id
            failure = (ScreenAlert(Self.notQueued, error, offersRetry: true), .upload(item.id))
        } catch let error as PhotoCaptureError where error.isTaken {
            failure = (ScreenAlert("The photo is not in the gallery yet", error), retry)
        } catch {
            failure = (ScreenAlert(title, error, offersRetry: true), retry)
        }
        activities -= 1
    }
}

extension PhotoCaptureError {
    /// Whether there is a photo nevertheless.
    fileprivate var isTaken: Bool {
        switch self {
        case .noFrame, .encoding, .file: false
        case .library, .notQueued: true
        }
    }
}
