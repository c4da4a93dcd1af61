public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let nova = ScenarioCatalogue(
        [
            NovaAnalytics.self, NovaComments.self, NovaFeed.self, NovaLikes.self, NovaOffline.self,
            NovaPublish.self, NovaSearch.self, NovaSignOut.self,
        ],
        programs: [RecordedNova.self]
    )
}
