public import Concurrency
public import ScreenKit

/// What is being typed in one step.
public protocol StepModel: Codable, Hashable, Sendable {
    /// Which step it is.
    static var step: FlowStep { get }

    /// Nothing is typed.
    init()

    /// What is wrong with it; empty where nothing is.
    func validate() -> [FieldError]

    /// What is sent.
    var submission: StepSubmission { get }
}

/// One step of the flow.
@MainActor
public final class StepViewModel<Model: StepModel>: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// What is typed.
        public var model: Model
        /// How far the attempt has come.
        public var progress: FormProgress = FormProgress()
        /// Whether the next screen is shown.
        public var showNextStep: Bool = false
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Takes over all that is typed.
        case edit(Model)
        /// Sends the data of the step.
        case submit
        case dismissAlert
    }

    /// What is being typed.
    public private(set) var model: Model = Model()
    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let session: SessionManager
    private let flow: FlowViewModel
    private let repository: any FlowRepository
    private let screen: ScreenModel<State>
    private lazy var form = Form { [weak self] in self?.screen.refresh() }

    /// Creates the screen.
    public init(_ session: SessionManager, _ repository: any FlowRepository, in flow: FlowViewModel) {
        self.session = session
        self.repository = repository
        self.flow = flow
        screen = ScreenModel(State(model: Model()), sources: [session.changes])
        states = screen.states
        screen.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        State(model: model, progress: form.progress, showNextStep: form.progress.isSubmitted)
    }

    /// The state follows the app.
    public func appear() { screen.follow() }
    /// The state stays as it is.
    public func disappear() { screen.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .edit(let model): take(model)
        case .submit: await submit()
        case .dismissAlert: form.dismissAlert()
        }
    }

    /// Takes over what is typed; fields that were wrong are looked at again.
    public func take(_ model: Model) {
        self.model = model
        let errors = model.validate()
        for field in form.progress.validationErrors.keys.sorted() {
            form.revalidate(field, among: errors)
        }
        screen.refresh()
    }

    /// Sends what is typed, and goes to the next step.
    public func submit() async {
        let (model, run) = (model, session.run)
        await form.submit(validate: { model.validate() }, isDropped: \.isSuperseded) {
            try await repository.submitData(model.submission)
            try flow.advanceToNextStep(after: Model.step, in: run)
        }
    }
}
