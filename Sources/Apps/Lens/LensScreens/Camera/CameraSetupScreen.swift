public import Concurrency
internal import Foundation
public import Lens
public import ScreenKit
internal import Services

/// The setup of a new Wi-Fi camera, step by step; over the sheet with the cameras of the network.
///
/// An app has one setup: a person who starts it takes it from another one, whose screen is at the beginning again.
@MainActor
public final class CameraSetupScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Whether a new camera can be set up here.
        public var isAvailable: Bool = false
        /// How far the setup is; `idle` while this person sets up none.
        public var step: CameraSetupState.Step = .idle
        /// The camera, as its label says, from `labelRead` on.
        public var device: String?
        /// Whether the label says that the camera comes to its network in another way than by a code.
        public var joinsOtherwise: Bool = false
        /// The name of the Wi-Fi network that was entered last.
        public var networkName: String?
        /// How many codes are to be shown in turn; none but in `showingCode`.
        public var codes: Int = 0
        /// How long each of them is to be shown, in milliseconds.
        public var codeMilliseconds: Int = 0
        /// Which codes they are: another number for each network that is entered.
        public var codesNumber: Int = 0
        /// What is wrong with what the local camera sees, while the label is looked for.
        public var trouble: String?
        /// What went wrong last.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Looks for the label of a camera.
        case start
        /// Shows codes with the name and the password of a Wi-Fi network to the camera.
        case showCode(network: String, password: EnteredSecret)
        /// Ends the setup; nothing is kept.
        case cancel
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let setup: CameraSetup?
    /// Names this person to the setup.
    private let owner = UUID()
    private let model: ScreenModel<State>
    private let connected: @MainActor () async -> Void
    /// Called with a camera that is on the network and takes another password.
    private let wantsPassword: @MainActor (_ device: String) async -> Void
    private var isShown = false
    /// Whether it was shown and not closed.
    private var isOpen = false
    /// Counts how often it was shown and left, from 1: whoever has not come yet is away.
    private var showing = 1
    private var isFinishing = false
    /// The error of the setup that was seen last.
    private var noted: CameraSetupError?
    private var failure: (alert: ScreenAlert, retry: Retry?)?

    private enum Retry {
        case scan, connect
    }

    /// Creates the screen of an app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - connected: Called when the camera was set up and is connected.
    ///   - wantsPassword: Called when the camera has joined the network, and does not take the password of new ones.
    public init(
        _ app: LensApp,
        connected: @escaping @MainActor () async -> Void = {},
        wantsPassword: @escaping @MainActor (_ device: String) async -> Void = { _ in }
    ) {
        (self.app, setup) = (app, app.cameraSetup)
        (self.connected, self.wantsPassword) = (connected, wantsPassword)
        model = ScreenModel(State(), sources: [app.cameraSetup?.state].compactMap(\.self))
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        var state = State()
        state.isAvailable = setup != nil
        guard let now = setup?.state.value, now.owner == owner else {
            noted = nil
            state.alert = failure?.alert
            return state
        }
        state.step = now.step
        state.device = now.label?.device
        state.joinsOtherwise = ![nil, .code, .unknown].contains(now.label?.joining)
        state.networkName = now.networkName
        (state.codes, state.codeMilliseconds) = (now.codes, now.codeMilliseconds)
        state.codesNumber = now.codesNumber
        if now.step == .scanning {
            noted = nil
            state.trouble = now.error?.localizedDescription
        } else if now.error != noted {
            noted = now.error
            if let error = now.error { note(error, now.label) }
        }
        state.alert = failure?.alert
        if now.step == .finished { finish() }
        return state
    }

    private func note(_ error: CameraSetupError, _ label: CameraLabel? = nil) {
        switch error {
        case .pictures:
            failure = (ScreenAlert("The label cannot be looked for", error, offersRetry: true), .scan)
        case .notConnected(let cause):
            // It is on the network, and somebody has changed its password.
            if let label, !Reason(cause).mayPass { askForPassword(label.device) }
            failure = (ScreenAlert("The camera was not connected", error, offersRetry: true), .connect)
        default: failure = (ScreenAlert("The camera was not set up", error), nil)
        }
    }

    private func askForPassword(_ device: String) {
        Task { [weak self] in
            // The sheet may have been closed in this moment.
            guard let self, isOpen else { return }
            await wantsPassword(device)
        }
    }

    /// The camera is connected: nothing is left to do here.
    private func finish() {
        guard !isFinishing else { return }
        isFinishing = true
        Task {
            await setup?.cancel(by: owner)
            isFinishing = false
            await connected()
        }
    }

    /// Follows the setup, which goes on where it was.
    public func appear() {
        guard !isShown else { return }
        (isShown, isOpen, showing) = (true, true, showing + 1)
        tellPresence()
        model.follow()
    }

    /// Follows the setup no longer; it is cancelled when nobody comes back for `CameraSetupTimes.absence`.
    public func disappear() {
        guard isShown else { return }
        (isShown, showing) = (false, showing + 1)
        tellPresence()
        model.unfollow()
    }

    private func tellPresence() {
        Task { [setup, owner, isShown, showing] in
            await setup?.note(isThere: isShown, owner, number: showing)
        }
    }

    /// Ends the setup, since its sheet was closed.
    func close() {
        guard isOpen else { return }
        (isOpen, failure) = (false, nil)
        disappear()
        Task { [weak self, setup, owner] in
            await setup?.cancel(by: owner)
            self?.model.refresh()
        }
    }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .start: await start()
        case .showCode(let network, let password):
            guard let setup else { return }
            await dismissAlert()
            let access = WiFiAccess(name: network, password: Secret(password.reveal()))
            // What fails is in the state of the setup, where it belongs to this step.
            guard setup.state.value.owner == owner, state.step == .labelRead || state.step == .showingCode
            else {
                let text = "No label of a camera was read."
                failure = (ScreenAlert(title: "No code is shown", text: text, advice: "Begin again."), nil)
                break
            }
            try? await setup.show(access)
        case .cancel:
            failure = nil
            await setup?.cancel(by: owner)
        case .retry:
            switch failure?.retry {
            case .scan: await start()
            case .connect: await connect()
            case nil: return
            }
        case .dismissAlert: await dismissAlert()
        }
        model.refresh()
    }

    private func start() async {
        failure = nil
        await setup?.start(by: owner)
        // Its sheet may be about to come, or was left in this very moment.
        await setup?.note(isThere: isShown, owner, number: showing)
    }

    private func dismissAlert() async {
        failure = nil
        guard let setup, setup.state.value.owner == owner else { return }
        await setup.dismissError()
    }

    private func connect() async {
        await dismissAlert()
        do throws(CameraError) {
            try await app.camera.switchTo(.veepaWiFi)
            await connected()
        } catch  where !error.isOvertaken {
            note(.notConnected(error))
        } catch {}
    }

    /// One of the codes that are shown, as a PNG file: it says the password of the network, and is kept nowhere.
    ///
    /// - Parameters:
    ///   - number: Which one, from 0.
    ///   - codesNumber: Of which network, as in the state.
    package func codePNG(_ number: Int, of codesNumber: Int) async -> [UInt8]? {
        guard let setup, state.codesNumber == codesNumber, state.codes > 0 else { return nil }
        return await setup.codePNG(number)
    }
}
