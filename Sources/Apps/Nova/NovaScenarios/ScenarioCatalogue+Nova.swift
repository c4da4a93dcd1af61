public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let nova = ScenarioCatalogue([NovaLikes.self])
}
