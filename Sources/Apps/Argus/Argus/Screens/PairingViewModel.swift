public import Concurrency
public import ScreenKit

/// The code that pairs this device with a hub: one that the person types here, or one that is shown for the hub's page.
@MainActor
public final class PairingViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Who shows the code: with `hub` this screen does, and nothing is typed here.
        public var dialect: HubDialect = .seed
        /// The code, as it is typed.
        public var code: String = ""
        /// Whether it can be sent: six digits, and no attempt under way.
        public var canSubmit: Bool = false
        /// The code to type into the hub's page; `nil` while there is none.
        public var shown: Shown?
        /// How far the attempt has come; with a code that is shown it goes on until that has been confirmed or has ended.
        public var progress: FormProgress = FormProgress()
    }

    /// A code that is shown.
    public struct Shown: Codable, Hashable, Sendable {
        /// Six digits, zeros at the front included.
        public var code: String
        /// For how long it can be used, in whole seconds.
        public var secondsLeft: Int
        /// The hub that has given it, as it is called on the local network; `nil` for one behind the relay.
        public var hubName: String?
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setCode(String)
        /// Pairs.
        case submit
        /// Has a hub give a code to show: another one in place of one that is shown, from another hub where there are several.
        case requestCode
        /// Shows no code any more.
        case cancelCode
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let auth: AuthService
    private let model: ScreenModel<State>
    private var code = ""
    private var shown: ShownCode?
    private let waiting = OwnedTasks()
    private lazy var form = Form { [weak self] in self?.model.refresh() }

    /// Creates the screen.
    public init(_ auth: AuthService) {
        self.auth = auth
        model = ScreenModel(State(dialect: auth.dialect), sources: [auth.isAuthenticated])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(
            dialect: auth.dialect,
            code: code,
            canSubmit: auth.dialect == .seed && PairingError.isCode(code) && !form.progress.isLoading,
            shown: shown.map {
                let left = max(.zero, $0.end - .now)
                let seconds = left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0)
                return Shown(code: $0.code, secondsLeft: Int(seconds), hubName: $0.hubName)
            },
            progress: form.progress
        )
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is, and a code that is shown is given up.
    public func disappear() {
        waiting.cancelAll()
        model.unfollow()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .setCode(let code): self.code = String(code.prefix(20))
        case .submit: await submit()
        case .requestCode: await requestCode()
        case .cancelCode: await cancelCode()
        case .dismissAlert: form.dismissAlert()
        }
        model.refresh()
    }

    /// Sends the code; nothing happens while it is none, or another attempt is under way.
    public func submit() async {
        guard auth.dialect == .seed, PairingError.isCode(code) else { return }
        let code = code
        if await form.submit(validate: { [] }, { try await auth.verifyPairingCode(code) }) { self.code = "" }
    }

    /// Has a hub give a code, and returns when it is shown; this device is paired when it has been confirmed at the hub.
    ///
    /// Nothing happens where the hub shows codes itself, and while one is being asked for.
    public func requestCode() async {
        guard auth.dialect == .hub, shown != nil || !form.progress.isLoading else { return }
        let last = shown
        await cancelCode()
        guard
            await form.submit(
                validate: { [] },
                { shown = try await auth.requestPairingCode(after: last) }
            ), let shown
        else { return }
        waiting.replace(with: [
            Task.immediate { [weak self] in await self?.complete(shown) },
            Task { [weak self] in
                // The seconds that are left are shown.
                while (try? await Task.sleep(for: .seconds(1))) != nil { self?.model.refresh() }
            },
        ])
    }

    /// Waits for the confirmation, with which this device is paired.
    private func complete(_ code: ShownCode) async {
        await form.submit(validate: { [] }, { try await auth.completePairing(code) })
        guard shown == code else { return }
        shown = nil
        waiting.cancelAll()
        model.refresh()
    }

    private func cancelCode() async {
        await waiting.cancelAndWait()
        shown = nil
    }
}
