public import ScenarioKit

extension ScenarioCatalogue {
    /// The scenarios of the app.
    public static let argus = ScenarioCatalogue(
        [
            ArgusHome.self, ArgusHubMoves.self, ArgusList.self, ArgusPairing.self, ArgusPush.self,
            ArgusRelay.self, ArgusShownCode.self, ArgusTokenStorm.self, ArgusTwinHubs.self,
        ],
        programs: [RecordedArgus.self]
    )
}
