import ArgumentParser
import Exploration
import LensScenarios

/// The command `lenssim scenarios`.
struct ScenariosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "Lists what can be run."
    )

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct Row: Encodable {
        var name: String
        var summary: String
        var seconds: Int
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
        if json { return try printJSON(rows, on: terminal) }
        defer { showOthers(on: terminal) }
        for row in rows {
            terminal.line("\(terminal.styled(row.name, .bold))  (\(row.fidelities.joined(separator: ", ")))")
            terminal.line("  \(row.summary)")
        }
    }

    /// Programs that are only there to be explored.
    private func showOthers(on terminal: Terminal) {
        let scenarios = Set(ScenarioCatalogue.all.map(\.name))
        terminal.line()
        terminal.line("For lenssim explore alone:")
        for program in ProgramCatalogue.all where !scenarios.contains(program.name) {
            terminal.line("\(terminal.styled(program.name, .bold))  \(program.summary)")
        }
    }
}
