public import Concurrency
public import ScreenKit

/// The code that pairs this device with a hub.
@MainActor
public final class PairingViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The code, as it is typed.
        public var code: String = ""
        /// Whether it can be sent: six digits, and no attempt under way.
        public var canSubmit: Bool = false
        /// How far the attempt has come.
        public var progress: FormProgress = FormProgress()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setCode(String)
        /// Pairs.
        case submit
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let auth: AuthService
    private let model: ScreenModel<State>
    private var code = ""
    private lazy var form = Form { [weak self] in self?.model.refresh() }

    /// Creates the screen.
    public init(_ auth: AuthService) {
        self.auth = auth
        model = ScreenModel(State(), sources: [auth.isAuthenticated])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(
            code: code,
            canSubmit: PairingError.isCode(code) && !form.progress.isLoading,
            progress: form.progress
        )
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .setCode(let code): self.code = String(code.prefix(20))
        case .submit: await submit()
        case .dismissAlert: form.dismissAlert()
        }
        model.refresh()
    }

    /// Sends the code; nothing happens while it is none, or another attempt is under way.
    public func submit() async {
        guard PairingError.isCode(code) else { return }
        let code = code
        if await form.submit(validate: { [] }, { try await auth.verifyPairingCode(code) }) { self.code = "" }
    }
}
