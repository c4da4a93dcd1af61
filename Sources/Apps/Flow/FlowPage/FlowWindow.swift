internal import Flow
public import PageKit
public import ScreenKit

/// One tab of a browser that shows the flow; all tabs show the same one.
@MainActor
public final class FlowWindow: PageWindow {
    /// The screens of the flow, and what stands around it.
    public let screens: [EncodedScreen]

    private let overview: OverviewScreen
    private let flow: ReplacedScreen<FlowViewModel>
    private let splash: ReplacedScreen<SplashViewModel>
    private let authentication: ReplacedScreen<AuthenticationViewModel>
    private let verification: ReplacedScreen<VerificationViewModel>
    private let step1: ReplacedScreen<StepViewModel<Step1Model>>
    private let step2: ReplacedScreen<StepViewModel<Step2Model>>
    private let step3: ReplacedScreen<StepViewModel<Step3Model>>

    init(_ page: FlowPage, _ shown: FlowScreens) {
        overview = OverviewScreen(page)
        flow = ReplacedScreen(shown.flow)
        splash = ReplacedScreen(shown.splash)
        authentication = ReplacedScreen(shown.authentication)
        verification = ReplacedScreen(shown.verification)
        step1 = ReplacedScreen(shown.step1)
        step2 = ReplacedScreen(shown.step2)
        step3 = ReplacedScreen(shown.step3)
        screens = [
            EncodedScreen("overview", overview), EncodedScreen("flow", flow), EncodedScreen("splash", splash),
            EncodedScreen("authentication", authentication), EncodedScreen("verification", verification),
            EncodedScreen("step1", step1), EncodedScreen("step2", step2), EncodedScreen("step3", step3),
        ]
    }

    /// Shows another flow.
    func show(_ next: FlowScreens) {
        flow.replace(with: next.flow)
        splash.replace(with: next.splash)
        authentication.replace(with: next.authentication)
        verification.replace(with: next.verification)
        step1.replace(with: next.step1)
        step2.replace(with: next.step2)
        step3.replace(with: next.step3)
    }

    /// The screens follow the flow.
    public func appear() {
        for screen in all { screen.appear() }
    }

    /// The screens stay as they are.
    public func disappear() {
        for screen in all { screen.disappear() }
    }

    private var all: [any Screen] {
        [overview, flow, splash, authentication, verification, step1, step2, step3]
    }
}
