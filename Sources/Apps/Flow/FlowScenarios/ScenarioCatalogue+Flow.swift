public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let flow = ScenarioCatalogue(
        [FlowOnboarding.self, FlowTokens.self, FlowUser.self],
        programs: [RecordedFlow.self]
    )
}
