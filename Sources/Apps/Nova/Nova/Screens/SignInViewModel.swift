public import Concurrency
public import ScreenKit
internal import Services

/// Signs somebody in, or makes an account.
@MainActor
public final class SignInViewModel: Screen {
    /// What the form is for.
    public enum Mode: String, Codable, Hashable, Sendable {
        case signIn, signUp
    }

    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// What the form is for.
        public var mode: Mode = .signIn
        /// The name for a new account, as it is typed.
        public var username: String = ""
        /// The e-mail address, as it is typed.
        public var email: String = ""
        /// Whether a password is typed; the password itself is nowhere in a state.
        public var hasPassword: Bool = false
        /// How far the attempt has come; fields are `username`, `email` and `password`.
        public var progress: FormProgress = FormProgress()
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setMode(Mode)
        case setUsername(String)
        case setEmail(String)
        case setPassword(EnteredSecret)
        /// Signs in, or makes an account.
        case submit
        case signInWithApple
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: NovaApp
    private let model: ScreenModel<State>
    private lazy var form = Form { [weak self] in self?.model.refresh() }
    private var mode = Mode.signIn
    private var username = ""
    private var email = ""
    private var password = Secret("")

    init(_ app: NovaApp) {
        self.app = app
        model = ScreenModel(State(), sources: [])
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(
            mode: mode,
            username: username,
            email: email,
            hasPassword: !password.reveal().isEmpty,
            progress: form.progress
        )
    }

    /// The state follows what is typed.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Nothing is typed.
    func reset() {
        (mode, username, email, password) = (.signIn, "", "", Secret(""))
        model.refresh()
    }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .setMode(let mode): self.mode = mode
        case .setUsername(let username): self.username = String(username.prefix(100))
        case .setEmail(let email): self.email = String(email.prefix(254))
        case .setPassword(let password): self.password = Secret(String(password.reveal().prefix(1_000)))
        case .submit: await submit()
        case .signInWithApple:
            await enter(.signIn(method: "apple"), validate: { [] }) { try await $0.signInWithApple() }
        case .dismissAlert: form.dismissAlert()
        }
        model.refresh()
    }

    private func submit() async {
        let (username, email, password) = (username.trimmed, email.trimmed, password)
        switch mode {
        case .signIn:
            await enter(.signIn(method: "email"), validate: errors) {
                try await $0.signIn(email: email, password: password)
            }
        case .signUp:
            await enter(.signUp(method: "email"), validate: errors) {
                try await $0.signUp(username: username, email: email, password: password)
            }
        }
    }

    private func enter(
        _ event: AnalyticsEvent,
        validate: @MainActor () -> [FieldError],
        _ signIn: (AuthService) async throws -> User?
    ) async {
        var isIn = false
        await form.submit(validate: validate) { isIn = try await app.signIn(signIn) }
        guard isIn else { return }
        app.analytics.track(event)
        (password, form) = (Secret(""), Form { [weak self] in self?.model.refresh() })
    }

    private func errors() -> [FieldError] {
        var errors: [FieldError] = []
        if mode == .signUp, username.trimmed.isEmpty {
            errors.append(FieldError("username", "Enter a name."))
        }
        let parts = email.trimmed.split(separator: "@", omittingEmptySubsequences: false)
        if parts.count != 2 || parts.contains(where: \.isEmpty) {
            errors.append(FieldError("email", "Enter an e-mail address, such as ada@example.org."))
        }
        if password.reveal().isEmpty { errors.append(FieldError("password", "Enter a password.")) }
        return errors
    }
}

extension String {
    /// Without blanks and line ends around it.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
