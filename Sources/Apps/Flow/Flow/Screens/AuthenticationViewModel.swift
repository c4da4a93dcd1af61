public import Concurrency
public import ScreenKit
public import Services

/// Credentials and consents.
@MainActor
public final class AuthenticationViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The e-mail address, as it is typed.
        public var email: String = ""
        /// Whether a password is typed; the password itself is nowhere in a state.
        public var hasPassword: Bool = false
        /// The consents.
        public var consents: Consents = Consents()
        /// How far the attempt has come.
        public var progress: FormProgress = FormProgress()
        /// Whether the next screen is shown.
        public var showNextStep: Bool = false
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setEmail(String)
        case setPassword(EnteredSecret)
        case setConsents(Consents)
        /// Logs in.
        case submit
        case dismissAlert
    }

    /// What is being typed.
    public private(set) var model: AuthenticationModel = AuthenticationModel()
    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let session: SessionManager
    private let repository: any FlowRepository
    private let screen: ScreenModel<State>
    private lazy var form = Form { [weak self] in self?.screen.refresh() }

    /// Creates the screen.
    public init(_ session: SessionManager, _ repository: any FlowRepository) {
        self.session = session
        self.repository = repository
        screen = ScreenModel(State(), sources: [session.changes])
        states = screen.states
        screen.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(
            email: model.email,
            hasPassword: !model.password.reveal().isEmpty,
            consents: model.consents,
            progress: form.progress,
            showNextStep: form.progress.isSubmitted
        )
    }

    /// The state follows the app.
    public func appear() { screen.follow() }
    /// The state stays as it is.
    public func disappear() { screen.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .setEmail(let email): edit("email") { $0.email = String(email.prefix(254)) }
        case .setPassword(let password): edit("password") { $0.password = Secret(password.reveal()) }
        case .setConsents(let consents):
            edit("terms") { $0.consents = consents }
            form.revalidate("privacy", among: model.validate())
        case .submit: await submit()
        case .dismissAlert: form.dismissAlert()
        }
    }

    /// Logs in with what is typed, and shows the verification.
    public func submit() async {
        let (model, run) = (model, session.run)
        await form.submit(validate: { model.validate() }, isDropped: \.isSuperseded) {
            try await repository.logIn(model.data)
            try session.update(in: run) {
                if $0.navigationState == .feature1 { $0.navigationState = .feature2 }
            }
        }
    }

    private func edit(_ field: String, _ change: (inout AuthenticationModel) -> Void) {
        change(&model)
        form.revalidate(field, among: model.validate())
        screen.refresh()
    }
}

/// Credentials and consents as they are typed.
public struct AuthenticationModel: Sendable, Hashable {
    /// The e-mail address.
    public var email: String = ""
    /// The password.
    public var password: Secret = Secret("")
    /// The consents.
    public var consents: Consents = Consents()

    /// What is wrong with it; empty where nothing is.
    public func validate() -> [FieldError] {
        var errors: [FieldError] = []
        let parts = email.trimmingBlanks.split(separator: "@", omittingEmptySubsequences: false)
        if parts.count != 2 || parts.contains(where: \.isEmpty)
            || email.trimmingBlanks.contains(where: \.isWhitespace)
        {
            errors.append(FieldError("email", "Enter an e-mail address, such as ada@example.org."))
        }
        if password.reveal().isEmpty { errors.append(FieldError("password", "Enter a password.")) }
        if !consents.terms { errors.append(FieldError("terms", "The terms of use have to be accepted.")) }
        if !consents.privacy {
            errors.append(FieldError("privacy", "The use of your data has to be accepted."))
        }
        return errors
    }

    /// What is sent.
    var data: AuthenticationData {
        AuthenticationData(email: email.trimmingBlanks, password: password, consents: consents)
    }
}
