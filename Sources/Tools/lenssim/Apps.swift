import ArgumentParser
import ArgusCommands
import CommandKit
import FlowCommands
import LensCommands
import NovaCommands
import ScenarioKit
import SessionPage

/// The apps that `lenssim` runs: no other file of it names one.
///
/// Each line that names an app can be left out with the app; see `scripts/without-app`.
enum Apps {
    private static let all: [AppCommands] = [
        .lens,
        .flow,
        .argus,
        .nova,
    ]

    /// The scenarios of all apps.
    static let scenarios = all.reduce(ScenarioCatalogue([])) { $0 + $1.scenarios }

    /// The fault points of the services of all apps, each once.
    static let faultPoints = all.flatMap(\.faultPoints)

    /// How recordings of all apps are looked at.
    static let shown = all.map(\.shown)

    /// The commands of single apps.
    static var commands: [any ParsableCommand.Type] { all.flatMap(\.commands) }

    /// Rows of the help.
    static var examples: String { all.flatMap(\.examples).map { "\n  " + $0 }.joined() }
}

/// The services of apps that `lenssim serve` hosts, each with its options.
struct AppServices: ParsableArguments {
    @OptionGroup var flow: FlowService
    @OptionGroup var argus: ArgusService
    @OptionGroup var nova: NovaService

    /// The services with the options that were given.
    var all: [any ServedService] {
        [
            flow,
            argus,
            nova,
        ]
    }

    /// The same, before options are known.
    static let types: [any ServedService.Type] = [
        FlowService.self,
        ArgusService.self,
        NovaService.self,
    ]
}
