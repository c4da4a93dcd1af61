import CommandKit
import Exploration

/// Shows what came of all tests of a package.
struct PackageVerdicts {
    var table: VerdictTable

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON { return try printJSON(table.verdicts, on: terminal) }
        for verdict in table.verdicts where !verdict.report.isEmpty {
            terminal.line("\(terminal.styled("✘", .red)) \(verdict.test)")
            terminal.line(verdict.report.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
        }
        terminal.line("\(table)")
    }
}
