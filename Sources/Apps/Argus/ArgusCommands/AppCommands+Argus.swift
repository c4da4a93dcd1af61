internal import ArgusReplay
internal import ArgusScenarios
package import CommandKit
internal import SessionPage

extension AppCommands {
    /// Argus.
    package static let argus = AppCommands(scenarios: .argus, shown: .argus)
}
