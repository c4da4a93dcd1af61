internal import Flow
internal import FlowPage
public import SessionPage

extension ShownApp {
    /// Flow.
    public static let flow = ShownApp(
        .flow,
        screens: [
            ShownScreen("overview", OverviewScreen.self) { action in
                switch action {
                case .start: "Began the sign-up"
                }
            },
            ShownScreen("flow", FlowViewModel.self) { action in
                switch action {
                case .finish: "Finished the sign-up"
                case .cancel: "Left the sign-up"
                }
            },
            ShownScreen("splash", SplashViewModel.self) { action in
                switch action {
                case .retry: "Tried again"
                case .dismissAlert: closedAlert
                case .cancel: "Left the sign-up"
                }
            },
            ShownScreen("authentication", AuthenticationViewModel.self) { action in
                switch action {
                case .setEmail: "Typed an e-mail address"
                case .setPassword: "Typed a password"
                case .setConsents: "Changed what is agreed to"
                case .submit: "Signed up"
                case .dismissAlert: closedAlert
                }
            },
            ShownScreen("verification", VerificationViewModel.self) { action in
                switch action {
                case .setCode: "Typed the code"
                case .submit: "Sent the code"
                case .dismissAlert: closedAlert
                }
            },
            ShownScreen("step1", StepViewModel<Step1Model>.self, words: step),
            ShownScreen("step2", StepViewModel<Step2Model>.self, words: step),
            ShownScreen("step3", StepViewModel<Step3Model>.self, words: step),
        ]
    )

    private static let closedAlert = "Closed the alert"

    private static func step<Model>(_ action: StepViewModel<Model>.Action) -> String {
        switch action {
        case .edit: "Filled the form in"
        case .submit: "Sent the form"
        case .dismissAlert: closedAlert
        }
    }
}
