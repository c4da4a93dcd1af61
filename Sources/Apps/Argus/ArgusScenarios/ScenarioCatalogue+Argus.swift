public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let argus = ScenarioCatalogue([ArgusHome.self, ArgusTokens.self])
}
