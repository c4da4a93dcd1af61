import ArgumentParser
import CommandKit

/// The command `lenssim doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Checks which devices, programs, limits and keys of this machine can be used, and says how to mend what cannot.",
        discussion: HelpText.filled(
            """
            Nothing leaves this machine, and nothing is changed on it. It checks only whether keys are set; none is shown.
            Ends with 1 where something does not work that hardly any command can do without.

            Examples:
              lenssim doctor
              lenssim doctor --json     for machines
            """
        )
    )

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() async throws {
        try await reportingFailures { terminal in
            let findings = await MachineCheck().findings()
            if json { try printJSON(findings, on: terminal) } else { show(findings, on: terminal) }
            if findings.contains(where: { $0.state == .broken }) { throw Exit.failed }
        }
    }

    private func show(_ findings: [Finding], on terminal: Terminal) {
        let width = findings.map(\.name.count).max() ?? 0
        var area = ""
        for finding in findings {
            if finding.area != area {
                if !area.isEmpty { terminal.line() }
                terminal.line(terminal.styled(finding.area, .bold))
                area = finding.area
            }
            let mark =
                switch finding.state {
                case .usable: terminal.styled("✔", .green)
                case .absent: "–"
                case .broken: terminal.styled("✘", .red)
                }
            terminal.line("  \(mark) \(finding.name.padded(to: width))  \(finding.detail)")
            if let advice = finding.advice {
                terminal.line("    \("".padded(to: width))  → \(advice)")
            }
        }
    }
}
