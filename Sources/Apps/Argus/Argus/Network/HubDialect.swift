/// Which calls a hub has, and who shows the code of a pairing.
public enum HubDialect: String, Codable, Sendable, Hashable, CaseIterable {
    /// Those of the app's own description: the hub shows a code, and the person types it into the app.
    case seed
    /// Those of the public hub as it runs: the app asks for a code and shows it, and the person types it into the hub's web page.
    case hub

    /// The requests of the dialect, and how their answers are read.
    var calls: any HubCalls {
        switch self {
        case .seed: SeedCalls()
        case .hub: PublicHubCalls()
        }
    }
}
