package import CommandKit
internal import FlowReplay
import FlowScenarios
internal import SessionPage

extension AppCommands {
    /// Flow.
    package static let flow = AppCommands(scenarios: .flow, shown: .flow)
}
