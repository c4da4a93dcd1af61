public import Concurrency
public import ScreenKit

/// Which part of the flow is shown, and its end.
@MainActor
public final class FlowViewModel: Screen {
    /// All that the screen shows: the root, which selects one of the others.
    public struct State: Codable, Hashable, Sendable {
        /// The part.
        public var navigationState: NavigationState = .splash
        /// The step, where the part is that of the steps.
        public var currentStep: FlowStep = .step1
        /// Whether all is done.
        public var isCompleted: Bool = false
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Ends the flow at its end.
        case finish
        /// Ends the flow before its end.
        case cancel
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let session: SessionManager
    private let start: AppStartService
    private let model: ScreenModel<State>

    init(_ session: SessionManager, _ start: AppStartService) {
        self.session = session
        self.start = start
        model = ScreenModel(State(), sources: [session.changes])
        states = model.states
        model.derive = {
            State(
                navigationState: session.navigationState,
                currentStep: session.currentStep,
                isCompleted: session.userInfo.completionFlags.isCompleted
            )
        }
    }

    /// The state follows the app.
    public func appear() { model.follow() }
    /// The state stays as it is.
    public func disappear() { model.unfollow() }

    /// Does what the user wants; a failure is in the state.
    public func send(_ action: Action) async {
        switch action {
        case .finish: start.finish()
        case .cancel: start.cancel()
        }
        model.refresh()
    }

    /// Goes on from a step that was accepted; where the flow has gone on from it already, or is at its end, nothing moves.
    func advanceToNextStep(after step: FlowStep, in run: Int) throws(Superseded) {
        try session.update(in: run) {
            if $0.navigationState == .feature3, $0.currentStep == step { $0.currentStep = step.next }
        }
        model.refresh()
    }
}

extension Error {
    /// Whether it means nothing to the person: what was tried belongs to a use that is over, or was cancelled.
    var isSuperseded: Bool { self is Superseded || self is CancellationError }
}
