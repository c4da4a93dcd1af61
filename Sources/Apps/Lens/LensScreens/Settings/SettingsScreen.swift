public import Concurrency
public import Lens
public import ScreenKit
internal import Services

/// The settings, and the key of the assistant, which is never shown.
@MainActor
public final class SettingsScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The present settings.
        public var settings: LensSettings = LensSettings()
        /// The lowest and highest rate that can be set, in pictures a second.
        public var frameRates: ClosedRange<Int> = LensSettings.frameRates
        /// The picture sizes that can be chosen.
        public var resolutions: [VideoResolution] = VideoResolution.allCases
        /// The camera that is chosen.
        public var camera: CameraSourceType = .local
        /// The cameras that can be chosen.
        public var cameras: [CameraSourceType] = []
        /// The kept key as dots; empty while none is kept.
        public var maskedKey: String = ""
        /// What came of the kept key's test; `nil` where it was not tested, or its test failed.
        public var keyTest: ModelKey.Test?
        /// The program, its licences, and where what it keeps goes.
        public var about: AboutLens = AboutLens()
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setResolution(VideoResolution)
        /// Sets pictures a second, the nearest that is allowed.
        case setFrameRate(Int)
        case setAutoUpload(Bool)
        /// Changes to another camera.
        case chooseCamera(CameraSourceType)
        case setSpeech(Bool)
        /// Keeps or replaces the key; one of white space alone deletes it.
        case saveKey(EnteredSecret)
        case deleteKey
        /// Asks the service whether it takes the kept key.
        case testKey
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// What the mask shows for a key of any length.
    public static let mask: String = "••••••••"

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let setUp: @MainActor () async -> Void
    private let model: ScreenModel<State>
    private let reading = OwnedTasks()
    private var failure: (alert: ScreenAlert, action: Action?)?
    private var dismissed: PreferenceStoreError?

    /// Creates the screen of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - setUp: Called when the user has chosen a camera that has to be set up first.
    public init(_ app: LensApp, setUp: @escaping @MainActor () async -> Void = {}) {
        self.app = app
        self.setUp = setUp
        model = ScreenModel(
            State(),
            sources: [
                app.settings.current, app.settings.failure, app.modelKey.isKept, app.modelKey.lastTest,
                app.camera.status,
            ]
        )
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        var state = State()
        state.settings = app.settings.current.value
        state.camera = app.camera.status.value.source
        state.cameras = app.cameraTypes
        state.maskedKey = app.modelKey.isKept.value ? Self.mask : ""
        state.keyTest = app.modelKey.lastTest.value
        state.about = app.about
        state.alert = failure?.alert
        let unkept = app.settings.failure.value
        if unkept == nil { dismissed = nil }
        if state.alert == nil, let unkept, unkept != dismissed {
            state.alert = ScreenAlert("The setting was not kept", unkept)
        }
        return state
    }

    /// Follows the settings, and looks whether a key is kept.
    public func appear() {
        reading.replace(with: [Task { [weak self] in await self?.readKey() }])
        model.follow()
    }

    /// Follows the settings no longer.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .setResolution(let resolution): await change { $0.videoResolution = resolution }
        case .setFrameRate(let rate): await change { $0.framesPerSecond = rate }
        case .setAutoUpload(let isOn): await change { $0.autoUpload = isOn }
        case .setSpeech(let isOn):
            await change { $0.speechEnabled = isOn }
            if !isOn { await app.voice.stop() }
        case .chooseCamera(let type):
            failure = nil
            do throws(CameraError) { try await app.chooseCamera(type, setUp: setUp) } catch {
                guard !error.isOvertaken else { break }
                failure = (ScreenAlert("The camera was not changed", error, offersRetry: true), action)
            }
        case .saveKey(let key): await saveKey(key)
        case .deleteKey: _ = await write(nil, action)
        case .testKey: await testKey()
        case .retry:
            guard let failed = failure?.action else { return }
            await send(failed)
        case .dismissAlert:
            // What was not shown yet is shown next.
            if failure != nil { failure = nil } else { dismissed = app.settings.failure.value }
        }
        model.refresh()
    }

    /// Keeps or replaces the key as ``Action/saveKey(_:)`` does.
    ///
    /// - Returns: Why it was not kept; the state has it, too.
    @discardableResult
    public func saveKey(_ key: EnteredSecret) async -> ScreenAlert? {
        let alert = await write(key.reveal(), .saveKey(key))
        model.refresh()
        return alert
    }

    /// A change that is not kept is an alert again, also when the one before was closed.
    private func change(_ change: (inout LensSettings) -> Void) async {
        dismissed = nil
        await app.settings.change(change)
    }

    private func write(_ key: String?, _ action: Action) async -> ScreenAlert? {
        failure = nil
        // What was found before is no news any more.
        reading.cancelAll()
        do {
            try await app.modelKey.write(key)
            return nil
        } catch {
            let alert = ScreenAlert("The key was not kept", error, offersRetry: true)
            failure = (alert, action)
            return alert
        }
    }

    private func testKey() async {
        failure = nil
        do throws(ChatModelError) {
            try await app.modelKey.test(by: app.chat)
        } catch {
            let isRefused = error.code == .invalidKey || error.code == .missingKey
            let title = isRefused ? "The key was not accepted" : "The key could not be tested"
            failure = (ScreenAlert(title, error, offersRetry: true), .testKey)
        }
    }

    private func readKey() async {
        do {
            try await app.modelKey.read()
        } catch {
            guard !Task.isCancelled else { return }
            failure = (ScreenAlert("The key cannot be read", error), nil)
            model.refresh()
        }
    }
}
