import ArgumentParser
import CommandKit
import Exploration
import ScenarioKit

/// The command `lenssim scenarios`.
struct ScenariosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "Lists what can be run.",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim scenarios
              lenssim scenarios lens-upload     one, with what can be set
              lenssim scenarios --zoo           programs with known bugs too
            """
        )
    )

    @Argument(help: "One scenario, whose settings are listed too.")
    var scenario: String?

    @Flag(help: "List the programs with known bugs too, and their fixed versions.")
    var zoo = false

    @Flag(help: "Print JSON for machines.")
    var json = false

    private struct Row: Encodable {
        var name: String
        var summary: String
        var fidelities: [String]
        /// Only of scenarios of an app.
        var settings: [SettingFacts]?

        init(_ scenario: any Scenario.Type) {
            name = scenario.name
            summary = scenario.summary
            fidelities = scenario.needsSimulatedNetwork ? ["simulated"] : ["simulated", "loopback"]
            settings = scenario.settingFacts
        }

        init(_ program: Program) {
            name = program.name
            summary = program.summary
            fidelities = ["simulated"]
        }

        func show(on terminal: Terminal) {
            terminal.line("\(terminal.styled(name, .bold))  (\(fidelities.joined(separator: ", ")))")
            terminal.line("  \(summary)")
        }
    }

    func validate() throws {
        if scenario != nil, zoo { throw ValidationError("--zoo lists more: give it without a name.") }
    }

    func run() throws {
        let terminal = Terminal()
        if let scenario { return try showSettings(of: scenario, terminal) }
        let rows = Apps.scenarios.scenarios.map { Row($0) }
        let others = ProgramCatalogue.others
        if json {
            let more = others.map { Row($0) }
            return try printJSON(zoo ? rows + more : rows, on: terminal)
        }
        for row in rows { row.show(on: terminal) }
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

    private func showSettings(of name: String, _ terminal: Terminal) throws {
        guard let scenario = Apps.scenarios.scenario(named: name) else {
            let program = try ProgramCatalogue.named(name)
            throw ValidationError("\(program.name) is no scenario of an app, and has no settings.")
        }
        let row = Row(scenario)
        if json { return try printJSON(row, on: terminal) }
        row.show(on: terminal)
        var table = Table()
        for fact in scenario.settingFacts {
            if fact.isSwitch {
                table.add("--[no-]\(fact.name)", "\(fact.help) (default: \(fact.standard))")
            } else {
                table.add("--\(fact.name)", "\(fact.help) (\(fact.values); default: \(fact.standard))")
            }
        }
        for line in table.lines { terminal.line("  \(line)") }
    }
}
