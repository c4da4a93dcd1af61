import AppKernel
public import Concurrency
public import Foundation
public import Lens
public import ScreenKit
public import Services

/// The camera: which one, whether it is connected, its controls, the shutter, and recording.
@MainActor
public final class CameraScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The chosen camera.
        public var source: CameraSourceType = .local
        /// The cameras that can be chosen.
        public var sources: [CameraSourceType] = []
        /// Whether the camera of the network is to be set up before it can be chosen.
        public var needsSetUp: Bool = false
        /// Whether it is connected.
        public var connection: CameraSourceState = .disconnected
        /// Whether a camera is being connected, or a photo taken.
        public var isLoading: Bool = false
        /// The photo that was taken last on this screen.
        public var lastPhoto: UUID?
        /// Whether a video is being recorded, also while its file is being completed.
        public var isRecording: Bool = false
        /// How long it is, in whole seconds.
        public var recordingSeconds: Int = 0
        /// The video that was completed last while this screen was there.
        public var lastVideo: UUID?
        /// What is said for a moment, until it is dismissed: that a recording is complete.
        public var toast: String?
        /// How much the middle of the picture is enlarged.
        public var zoomLevel: Double = 1
        /// How much it can be.
        public var zoomRange: ClosedRange<Double> = 1...1
        /// Whether the camera can focus on a point.
        public var canFocus: Bool = false
        /// Where the camera was told to focus, for as long as that is shown.
        public var focus: FocusPoint?
        /// The picture size that is wanted of cameras.
        public var resolution: VideoResolution = .hd1080
        /// Whether a new photo or video is uploaded without asking.
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
        /// Begins to record a video, which is queued for upload when uploads are automatic.
        case startRecording
        /// Ends the recording; the video is in the gallery then.
        case stopRecording
        /// Enlarges the middle of the picture, as far as the camera can.
        case setZoom(Double)
        /// Focuses on a point: 0…1 from the left side, and from the upper one.
        case focus(x: Double, y: Double)
        /// Changes the picture size, as the settings do; a recording keeps the one that it has.
        case setResolution(VideoResolution)
        /// Takes away what is said for a moment.
        case dismissToast
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let setUp: @MainActor () async -> Void
    private let model: ScreenModel<State>
    private var activities = 0
    private var lastPhoto: UUID?
    private var toast: String?
    /// The recordings of which this screen has said that they are complete.
    private var completed: Int
    private var focus: FocusPoint?
    private let focusing = OwnedTasks()
    /// What was closed, or was there before this screen.
    private var dismissedRecording: CameraError?
    private var dismissedLoss: CameraError?
    /// Names this screen to the app while it is shown, and nothing while it is not.
    private var viewer: UUID?
    private var failure: (alert: ScreenAlert, retry: Retry)?

    /// What is done when the alert's action is repeated.
    private enum Retry {
        case action(Action)
        /// The photo or video is there: it is not made once more.
        case upload(MediaItem)
    }

    /// Creates the screen of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - setUp: Called when the user has chosen a camera that has to be set up first.
    public init(_ app: LensApp, setUp: @escaping @MainActor () async -> Void = {}) {
        self.app = app
        self.setUp = setUp
        completed = app.recorder.status.value.completed
        dismissedRecording = app.recorder.status.value.error
        model = ScreenModel(
            State(),
            sources: [app.camera.status, app.settings.current, app.permissions, app.recorder.status]
                + [app.networkCamera?.key.isKept].compactMap(\.self)
        )
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        let status = app.camera.status.value
        var state = State()
        state.source = status.source
        state.sources = app.cameraTypes
        if let networkCamera = app.networkCamera { state.needsSetUp = !networkCamera.key.isKept.value }
        state.connection = status.state
        state.isLoading = activities > 0 || status.state == .connecting
        state.lastPhoto = lastPhoto
        state.autoUpload = app.settings.current.value.autoUpload
        state.permission = app.permissions.value.camera
        state.zoomLevel = status.zoomLevel
        state.zoomRange = status.capabilities.zoom
        state.canFocus = status.capabilities.hasFocusPoint
        state.focus = focus
        state.resolution = app.settings.current.value.videoResolution
        let recorder = app.recorder.status.value
        state.isRecording = recorder.isRecording
        state.recordingSeconds = recorder.isRecording ? Int(recorder.duration.components.seconds) : 0
        if recorder.completed > completed {
            (completed, toast) = (recorder.completed, Self.complete)
            if let video = recorder.lastVideo, let error = recorder.notQueued { noteNotQueued(video, error) }
        }
        state.lastVideo = recorder.lastVideo?.id
        state.toast = toast
        state.alert = failure?.alert ?? alert(of: recorder) ?? alert(of: status)
        return state
    }

    private static let complete = "Recording complete"
    /// How long it is shown where the camera was told to focus.
    private static let focusTime = Duration.seconds(1)

    /// A recording that ended by itself.
    private func alert(of recorder: VideoRecorder.Status) -> ScreenAlert? {
        guard let error = recorder.error else {
            dismissedRecording = nil
            return nil
        }
        guard error != dismissedRecording else { return nil }
        return ScreenAlert("The recording was not completed", error)
    }

    private func alert(of camera: CameraRouter.Status) -> ScreenAlert? {
        guard camera.isLost, let error = camera.error else {
            dismissedLoss = nil
            return nil
        }
        guard error != dismissedLoss else { return nil }
        return ScreenAlert("The camera was lost", error, offersRetry: true)
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
        case .dismissAlert: dismissAlert()
        case .dismissToast: toast = nil
        case .retry:
            guard let failed = failure else {
                // The loss of the camera is the one alert of this kind that can be mended.
                if state.alert?.offersRetry == true { await send(.start) }
                return
            }
            guard failed.alert.offersRetry else { return }
            switch failed.retry {
            case .action(let action): await send(action)
            case .upload(let item):
                await attempt(failed.retry, Self.notQueued(item)) {
                    try await self.app.gallery.upload(item.id)
                }
            }
        case .start:
            await attempt(.action(action), "The camera was not started") {
                try await self.app.camera.connect()
            }
        case .stop:
            await attempt(.action(action), "The camera was not stopped") { await self.app.camera.turnOff() }
        case .choose(let type):
            await attempt(.action(action), "The camera was not changed") {
                try await self.app.chooseCamera(type, setUp: self.setUp)
            }
        case .capturePhoto:
            await attempt(.action(action), "The photo was not taken") {
                self.lastPhoto = try await self.app.capturePhoto().id
            }
        case .startRecording:
            toast = nil
            await attempt(.action(action), "The recording was not started") {
                try await self.app.startRecording()
            }
        case .stopRecording:
            await attempt(.action(action), "The recording was not stopped") { await self.app.stopRecording() }
        case .setZoom(let level):
            await attempt(.action(action), "The zoom was not changed") {
                try await self.app.camera.setZoom(level)
            }
        case .focus(let x, let y): await focus(on: FocusPoint(x: x, y: y), action)
        case .setResolution(let resolution):
            await app.settings.change { $0.videoResolution = resolution }
        }
        model.refresh()
    }

    /// Closes the alert that is shown; what was not shown yet is shown next.
    private func dismissAlert() {
        let recorder = app.recorder.status.value
        if failure != nil {
            failure = nil
        } else if alert(of: recorder) != nil {
            dismissedRecording = recorder.error
        } else {
            dismissedLoss = app.camera.status.value.error
        }
    }

    private func focus(on point: FocusPoint, _ action: Action) async {
        await attempt(.action(action), "The camera did not focus") {
            try await self.app.camera.focus(point)
            self.focus = point
            self.focusing.replace(with: [
                Task { [weak self] in
                    guard (try? await Task.sleep(for: Self.focusTime)) != nil else { return }
                    self?.focus = nil
                    self?.model.refresh()
                }
            ])
        }
    }

    private func noteNotQueued(_ item: MediaItem, _ error: DatabaseFailure) {
        failure = (ScreenAlert(Self.notQueued(item), error, offersRetry: true), .upload(item))
    }

    private static func notQueued(_ item: MediaItem) -> String {
        switch item.kind {
        case .photo: "The photo was taken, but not queued for upload"
        case .video: "The video was recorded, but not queued for upload"
        }
    }

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
            noteNotQueued(item, error)
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
        case .encoding, .file: false
        case .library, .notQueued: true
        }
    }
}
