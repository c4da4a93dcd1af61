internal import ArgusScenarios
package import CommandKit

extension AppCommands {
    /// Argus.
    package static let argus = AppCommands(scenarios: .argus)
}
