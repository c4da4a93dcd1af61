import Flow
import FlowPage

/// The one app of this process.
@MainActor
enum TheFlow {
    private static var page: FlowPage?

    /// Makes the app and its page.
    static func make(
        _ environment: FlowEnvironment,
        _ onComplete: @escaping @MainActor @Sendable (CompletionResult) -> Void
    ) -> (app: FlowApp, page: FlowPage) {
        let app = FlowApp(environment)
        let made = FlowPage(app) { result, _ in onComplete(result) }
        page = made
        return (app, made)
    }

    /// Its page.
    fileprivate static var shared: FlowPage {
        guard let page else { preconditionFailure("no flow was started in this process") }
        return page
    }
}

extension SessionManager {
    /// What the app of this process knows.
    @MainActor
    static var shared: SessionManager { TheFlow.shared.app.session }
}

extension FlowViewModel {
    /// The view model of the flow that is shown in this process.
    @MainActor
    static var shared: FlowViewModel { TheFlow.shared.screens.flow }
}
