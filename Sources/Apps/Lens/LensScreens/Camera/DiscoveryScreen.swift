public import Concurrency
public import Lens
public import ScreenKit
public import Services

/// The cameras of the network: what a search has found, and the set-up of one.
@MainActor
public final class DiscoveryScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Whether cameras are being looked for.
        public var isSearching: Bool = false
        /// What was found, in the order in which it has answered.
        public var cameras: [DiscoveredCamera] = []
        /// The camera that was picked, whose user and password are wanted.
        public var picked: String?
        /// Whether a camera has been set up before.
        public var isSetUp: Bool = false
        /// What is to be known of the cameras, such as that they are simulated.
        public var note: String?
        /// Whether a camera is being connected with what was entered.
        public var isConnecting: Bool = false
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Looks for cameras once more; what was found before is forgotten.
        case search
        /// Picks a camera, which need not be one that was found.
        case pick(String)
        /// Goes back to the list.
        case unpick
        /// Keeps user and password of the picked camera, and connects it.
        case setUp(user: String, password: EnteredSecret)
        /// Forgets the camera that was set up.
        case forget
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// How long cameras are looked for.
    public static let window: Duration = .seconds(5)
    /// The longest identity, user and password that are taken, in bytes of UTF-8.
    public static let longestEntry: Int = 128

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let model: ScreenModel<State>
    private let connected: @MainActor () async -> Void
    private let searching = OwnedTasks()
    private var isShown = false
    /// Whether it was shown and not closed.
    private var isOpen = false
    /// Counts how often it was closed: what was begun before counts for nothing.
    private var showing = 0
    private var search = 0
    private var isSearching = false
    private var cameras: [DiscoveredCamera] = []
    private var picked: String?
    private var attempts = 0
    private var failure: (alert: ScreenAlert, action: Action?)?

    /// Creates the screen of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - connected: Called when a camera was set up and is connected.
    public init(_ app: LensApp, connected: @escaping @MainActor () async -> Void = {}) {
        self.app = app
        self.connected = connected
        model = ScreenModel(State(), sources: [app.networkCamera?.key.isKept].compactMap(\.self))
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        var state = State()
        state.isSearching = isSearching
        state.cameras = cameras
        state.picked = picked
        state.isSetUp = app.networkCamera?.key.isKept.value ?? false
        state.note = app.about.cameraNote
        state.isConnecting = attempts > 0
        state.alert = failure?.alert
        return state
    }

    /// Looks for cameras.
    public func appear() {
        guard !isShown else { return }
        (isShown, isOpen) = (true, true)
        failure = nil
        model.follow()
        beginSearch()
        model.refresh()
    }

    /// Ends the search, and forgets what was found; what was picked stays, for a page may be back soon.
    public func disappear() {
        guard isShown else { return }
        isShown = false
        searching.cancelAll()
        search += 1
        (isSearching, cameras, failure) = (false, [], nil)
        model.refresh()
        model.unfollow()
    }

    /// Forgets everything, since its sheet was closed.
    func close() {
        guard isOpen else { return }
        disappear()
        showing += 1
        (isOpen, picked) = (false, nil)
        model.refresh()
    }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .search:
            failure = nil
            if isShown { beginSearch() }
        case .pick(let device):
            failure = nil
            picked = device.isEmpty || device.utf8.count > Self.longestEntry ? nil : device
        case .unpick: (picked, failure) = (nil, nil)
        case .setUp(let user, let password): await setUp(user, password)
        case .forget:
            await attempt("The camera was not forgotten", action) { try await self.app.forgetNetworkCamera() }
        case .retry:
            guard let failed = failure?.action else { return }
            await send(failed)
        case .dismissAlert: failure = nil
        }
        model.refresh()
    }

    private func setUp(_ user: String, _ password: EnteredSecret) async {
        guard let device = picked else {
            let text = "No camera is picked any more."
            failure = (
                ScreenAlert(title: "The camera was not connected", text: text, advice: "Pick it again."), nil
            )
            return
        }
        let secret = password.reveal()
        guard max(user.utf8.count, secret.utf8.count) <= Self.longestEntry else {
            let text = "No camera takes a user or a password as long as that."
            failure = (ScreenAlert(title: "The camera was not connected", text: text), nil)
            return
        }
        let credentials = CameraCredentials(device: device, user: user, password: Secret(secret))
        let showing = showing
        attempts += 1
        defer { attempts -= 1 }
        // What was entered is not kept for a repetition: the camera may have been offline, or the password wrong.
        await attempt("The camera was not connected", nil) {
            try await self.app.setUpNetworkCamera(credentials)
            if self.showing == showing { await self.connected() }
        }
    }

    private func attempt(_ title: String, _ action: Action?, _ work: () async throws -> Void) async {
        failure = nil
        let showing = showing
        model.refresh()
        do { try await work() } catch let error as CameraError where error.isOvertaken {
            // Another camera was chosen meanwhile.
        } catch  where self.showing == showing {
            failure = (ScreenAlert(title, error, offersRetry: action != nil), action)
        } catch {
            // Nobody sees any more what it was about.
        }
    }

    private func beginSearch() {
        guard let networkCamera = app.networkCamera else { return }
        search += 1
        (isSearching, cameras) = (true, [])
        let number = search
        searching.replace(with: [
            Task { [weak self] in
                if let reason = await networkCamera.needsSetUp(), reason.cause != nil {
                    self?.note(reason, number)
                }
                var failure: CameraError?
                do throws(CameraError) {
                    try await networkCamera.search(for: Self.window) { camera in
                        await self?.note(camera, number)
                    }
                } catch {
                    failure = error
                }
                self?.endSearch(number, failure)
            }
        ])
    }

    private func note(_ reason: CameraNotSetUp, _ number: Int) {
        guard number == search else { return }
        failure = (ScreenAlert("The Wi-Fi camera is to be set up again", reason), nil)
        model.refresh()
    }

    private func note(_ camera: DiscoveredCamera, _ number: Int) {
        guard number == search else { return }
        cameras.append(camera)
        model.refresh()
    }

    private func endSearch(_ number: Int, _ error: CameraError?) {
        guard number == search else { return }
        isSearching = false
        if let error {
            failure = (ScreenAlert("Cameras cannot be looked for", error, offersRetry: true), .search)
        }
        model.refresh()
    }
}
