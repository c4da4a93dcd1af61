package import CommandKit
internal import NovaScenarios
internal import NovaServer
internal import PeerKit

extension AppCommands {
    /// Nova.
    package static let nova = AppCommands(scenarios: .nova, faultPoints: NovaServer.faultPoints.map(\.name))
}
