public import Concurrency
public import ScreenKit
public import Services

/// The code that was sent to the person.
@MainActor
public final class VerificationViewModel: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The code, as it is typed.
        public var code: String = ""
        /// How far the attempt has come.
        public var progress: FormProgress = FormProgress()
        /// Whether the next screen is shown.
        public var showNextStep: Bool = false
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        case setCode(EnteredSecret)
        /// Verifies.
        case submit
        case dismissAlert
    }

    /// What is being typed.
    public private(set) var model: VerificationModel = VerificationModel()
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
            code: String(repeating: "•", count: model.code.reveal().count),
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
        case .setCode(let code):
            model.code = Secret(String(code.reveal().trimmingBlanks.prefix(100)))
            form.revalidate("code", among: model.validate())
            screen.refresh()
        case .submit: await submit()
        case .dismissAlert: form.dismissAlert()
        }
    }

    /// Verifies with the code that is typed, and shows the steps.
    public func submit() async {
        let (model, run) = (model, session.run)
        await form.submit(validate: { model.validate() }, isDropped: \.isSuperseded) {
            try await repository.verify(model.code.reveal())
            try session.update(in: run) {
                if $0.navigationState == .feature2 { $0.navigationState = .feature3 }
            }
        }
    }
}

/// The code as it is typed.
public struct VerificationModel: Sendable, Hashable {
    /// The code, without blanks around it.
    public var code: Secret = Secret("")

    /// What is wrong with it; empty where nothing is.
    public func validate() -> [FieldError] {
        code.reveal().isEmpty ? [FieldError("code", "Enter the code that you were sent.")] : []
    }
}
