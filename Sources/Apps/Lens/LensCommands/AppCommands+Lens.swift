package import CommandKit
internal import LensReplay
import LensScenarios
internal import SessionPage

extension AppCommands {
    /// Lens, with its demonstration over real sockets.
    package static let lens = AppCommands(
        scenarios: .lens,
        shown: .lens,
        faultPoints: LensServers.faultPointNames,
        commands: [DemoCommand.self],
        examples: [
            "lenssim demo                                    a full run on this machine, then replayed"
        ]
    )
}
