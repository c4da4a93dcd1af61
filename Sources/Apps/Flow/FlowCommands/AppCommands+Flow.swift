package import CommandKit
import FlowScenarios

extension AppCommands {
    /// Flow.
    package static let flow = AppCommands(scenarios: .flow)
}
