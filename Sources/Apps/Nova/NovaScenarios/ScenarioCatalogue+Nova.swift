public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let nova = ScenarioCatalogue([
        NovaAnalytics.self, NovaFeed.self, NovaSearch.self, NovaSignOut.self,
    ])

    /// Scenarios that tests run and `lenssim` does not offer yet.
    ///
    /// Under a swarm of faults they find something in one of thirty to sixty seeds, of which it is not known whether it is a mistake of the app or of theirs.
    package static let novaDrafts = ScenarioCatalogue([
        NovaComments.self, NovaLikes.self, NovaOffline.self, NovaPublish.self,
    ])
}
