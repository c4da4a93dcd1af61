package import CommandKit
internal import NovaReplay
internal import NovaScenarios
internal import NovaServer
internal import PeerKit
internal import SessionPage

extension AppCommands {
    /// Nova.
    package static let nova = AppCommands(
        scenarios: .nova,
        shown: .nova,
        faultPoints: NovaServer.faultPoints.map(\.name)
    )
}
