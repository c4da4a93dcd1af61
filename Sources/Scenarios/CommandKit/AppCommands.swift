package import ArgumentParser
package import ScenarioKit
package import SessionPage

/// What an app gives `lenssim`, but for its services: see ``ServedService``.
package struct AppCommands: Sendable {
    /// What can be run, explored and replayed.
    package let scenarios: ScenarioCatalogue
    /// The fault points of the app's services, each of which a search through all scenarios has to reach.
    package let faultPoints: [String]
    /// Commands of the app alone.
    package let commands: [any ParsableCommand.Type]
    /// Rows of the help, each a command, two blanks and what it does.
    package let examples: [String]

    /// How its recordings are looked at.
    package let shown: ShownApp

    /// Makes the parts of an app.
    package init(
        scenarios: ScenarioCatalogue,
        shown: ShownApp,
        faultPoints: [String] = [],
        commands: [any ParsableCommand.Type] = [],
        examples: [String] = []
    ) {
        (self.scenarios, self.shown, self.faultPoints) = (scenarios, shown, faultPoints)
        (self.commands, self.examples) = (commands, examples)
    }
}
