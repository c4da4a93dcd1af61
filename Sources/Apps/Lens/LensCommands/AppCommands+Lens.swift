package import CommandKit
import LensScenarios

extension AppCommands {
    /// Lens, with its demonstration over real sockets.
    package static let lens = AppCommands(
        scenarios: .lens,
        faultPoints: LensServers.faultPointNames,
        commands: [DemoCommand.self],
        examples: [
            "lenssim demo                                    a full run on this machine, then replayed"
        ]
    )
}
