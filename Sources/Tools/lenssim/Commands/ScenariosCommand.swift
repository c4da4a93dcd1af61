import ArgumentParser
import Exploration
import LensScenarios

/// The command `lenssim scenarios`.
struct ScenariosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "Lists what can be run.",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim scenarios
              lenssim scenarios --zoo     programs with known bugs too
            """
        )
    )

    @Flag(help: "List the programs with known bugs too, and their fixed versions.")
    var zoo = false

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct Row: Encodable {
        var name: String
        var summary: String
        /// Only of scenarios of an app.
        var seconds: Int?
        var fidelities: [String]
    }

    func run() throws {
        let terminal = Terminal()
        let rows = ScenarioCatalogue.all.map { scenario in
            Row(
                name: scenario.name,
                summary: scenario.summary,
                seconds: scenario.settings.seconds,
                fidelities: scenario.needsSimulatedNetwork ? ["simulated"] : ["simulated", "loopback"]
            )
        }
        let others = ProgramCatalogue.others
        if json {
            let more = others.map { Row(name: $0.name, summary: $0.summary, fidelities: ["simulated"]) }
            return try printJSON(zoo ? rows + more : rows, on: terminal)
        }
        for row in rows {
            terminal.line("\(terminal.styled(row.name, .bold))  (\(row.fidelities.joined(separator: ", ")))")
            terminal.line("  \(row.summary)")
        }
        terminal.line()
        guard zoo else {
            terminal.line(
                "\(others.count) programs with known bugs, to try the search on: lenssim scenarios --zoo"
            )
            return
        }
        terminal.line("Programs with known bugs, and their fixed versions:")
        for program in others {
            terminal.line("\(terminal.styled(program.name, .bold))  \(program.summary)")
        }
    }
}
