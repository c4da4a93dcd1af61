import ArgumentParser
import CommandKit
import ScenarioKit
import SessionRecording

/// The command `lenssim replay FILE`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording again in the simulation, and compares every output.",
        discussion: HelpText.filled(
            """
            Exits with 1 when something differs: names the first difference, and how recording and replay ended.
            lens --open --replay FILE shows a recording in the browser. lens --record and flow --record record what is done
            in the app, and so does lenssim demo; run --record records a scenario.

            Examples:
              lenssim replay bug.lenssession
              lenssim replay signup.lenssession
              lenssim replay bug.lenssession --until 12s
            """
        )
    )

    @Argument(help: "A .lenssession file.", completion: .file(extensions: ["lenssession"]))
    var file: String

    @Option(help: "End at that time of the recording, such as 12s, 1.5 or 2m.")
    var until: DurationArgument?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() throws {
        let terminal = Terminal()
        do {
            let session = try SessionReader(path: file)
            let report = try session.replay(with: Apps.scenarios, until: until?.duration)
            try ReplayView(session: session, report: report).show(asJSON: json, on: terminal)
            if !report.isSame { throw Exit.failed }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }
}

/// Shows what a replay found.
struct ReplayView {
    var session: SessionReader
    var report: ReplayReport

    private struct JSON: Encodable {
        var same: Bool
        var compared: Int
        var virtualSeconds: Double
        var firstDifference: String?
        var recordedEnding: String?
        var replayedEnding: String?
        var recordedHash: String?
        var replayedHash: String?
        var incomplete: Bool
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON {
            return try printJSON(
                JSON(
                    same: report.isSame,
                    compared: report.compared,
                    virtualSeconds: report.seconds,
                    firstDifference: report.firstDifference?.description,
                    recordedEnding: report.endings?.recorded,
                    replayedEnding: report.endings?.replayed,
                    recordedHash: report.hashes.map { String($0.recorded, radix: 16) },
                    replayedHash: report.hashes.map { String($0.replayed, radix: 16) },
                    incomplete: report.recordingIsIncomplete
                ),
                on: terminal
            )
        }
        if report.recordingIsIncomplete { terminal.line("The recording stops before the end of the run.") }
        let what =
            "\(session.manifest.scenario), \(session.manifest.fidelity.rawValue), seed \(session.manifest.seed)"
        if report.isSame {
            let hash = report.hashes.map { ", hash \(String($0.replayed, radix: 16))" } ?? ""
            terminal.line(
                "\(terminal.styled("✔", .green)) replayed \(what): \(grouped(report.compared)) outputs and inputs "
                    + "the same\(hash)"
            )
        } else {
            terminal.line("\(terminal.styled("✘", .red)) replayed \(what): it differs")
            if let difference = report.firstDifference { terminal.line("  \(difference)") }
            if let endings = report.endings {
                terminal.line("  the recording \(endings.recorded)")
                terminal.line("  the replay    \(endings.replayed)")
            }
            if report.firstDifference == nil, report.endings == nil, let hashes = report.hashes {
                terminal.line("  hash \(String(hashes.recorded, radix: 16)) recorded")
                terminal.line("  hash \(String(hashes.replayed, radix: 16)) replayed")
            }
        }
    }
}
