package import CommandKit
internal import NovaScenarios
internal import NovaServer
internal import PeerKit

extension AppCommands {
    /// Nova.
    package static let nova = AppCommands(
        scenarios: .nova,
        faultPoints: NovaServer.faultPoints.map(\.name).filter { !unreached.contains($0) }
    )

    /// Of calls that only `ScenarioCatalogue.novaDrafts` make: a sweep over what `lenssim` offers cannot reach them.
    private static let unreached: Set = [
        "nova.presign.500", "nova.publish.500", "nova.like.500", "nova.post.gone",
    ]
}
