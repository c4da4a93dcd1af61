import AppHost
import ArgumentParser
import CommandKit
import Foundation
import ScenarioKit
import SessionPage
import SessionRecording

/// The command `lenssim replay FILE`.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording again in the simulation, and compares every output.",
        usage: "lenssim replay <file> [<options>]",
        discussion: HelpText.filled(
            """
            Exits with 1 when something differs: names the first difference, and how recording and replay ended. A recording
            whose program was killed is compared up to there. Exits with 65 when the recording is damaged, and when nothing
            differs although the file was changed after it was recorded; names what was changed in any case.
            lens, argus, nova and flow --record record what is done in the app, and so does lenssim demo; run --record
            records a scenario.

            With --open the app's page shows the recording in the browser: what each screen showed, what was done and what
            crossed the network, at any time. It begins at the first difference, where there is one. Ctrl-C ends it.

            With --speed the rows that inspect shows come first, each at its time, up to the first difference; then the outcome.

            Examples:
              lenssim replay bug.lenssession
              lenssim replay signup.lenssession
              lenssim replay demo.lenssession --open
              lenssim replay bug.lenssession --until 12s --speed 4x
              lenssim replay killed.lenssession --continue 5s
            """
        )
    )

    @Argument(help: "A .lenssession file.", completion: .file(extensions: ["lenssession"]))
    var file: String

    @Option(help: "End at that time of the recording, such as 12s, 1.5 or 2m.")
    var until: DurationArgument?

    @Option(
        name: .customLong("continue"),
        help:
            "Of a recording that was cut off: run on for so long, such as 5s, and say what the program does next."
    )
    var further: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Show each row at its time, so many times as fast as it was: 1x, 0.5x, 16x; max shows the outcome alone.",
            valueName: "times"
        )
    )
    var speed = ReplaySpeed.outcomeAlone

    @Flag(help: "Show the recording on the page of its app, in the browser.")
    var open = false

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() async throws {
        try await reportingFailures { terminal in
            let session = try SessionReader(path: file)
            try checkContinuing(session)
            let alterations = try session.alterations()
            AlterationView(alterations).show(on: terminal)
            let report = try session.replay(
                with: Apps.scenarios,
                until: until?.duration,
                further: further?.duration ?? .zero
            )
            let view = ReplayView(
                session: session,
                report: report,
                alterations: alterations,
                further: further?.duration
            )
            try await showRows(of: session, until: report.firstDifference, on: terminal)
            try view.show(asJSON: json, on: terminal)
            if open { try await show(session, at: report.firstDifference) }
            if !report.isSame { throw Exit.failed }
            if alterations.count > 0 { throw Exit.dataUnusable }
        }
    }
}

extension ReplayCommand {
    /// Shows the recording in the browser until Ctrl-C.
    private func show(_ session: SessionReader, at difference: Difference?) async throws {
        let app = try session.shownApp()
        let stop = StopRequest()
        let mask = umask(0o077)
        let moment = difference.map { Double($0.nanoseconds) / 1e9 }
        let page = try await ReplayedPage.start(app, session, port: 0, at: moment)
        try await page.show(opens: true, asJSON: json, on: AppOutput("lenssim"), mask, until: stop)
    }

    /// Shows the rows up to a difference, each at its time, where that is wanted.
    private func showRows(
        of session: SessionReader,
        until difference: Difference?,
        on terminal: Terminal
    ) async throws {
        guard case .times(let times) = speed else { return }
        let wanted = until.map { Int64($0.duration / .nanoseconds(1)) } ?? .max
        var rows = try PacedRows(
            session,
            until: min(wanted, difference?.nanoseconds ?? .max),
            times: times,
            in: EntryView(terminal, asJSON: false)
        )
        try await rows.show()
    }

    /// - Throws: `ValidationError` where there is no end to go on from.
    private func checkContinuing(_ session: SessionReader) throws {
        guard further != nil else { return }
        guard session.outcome == nil, session.manifest.fidelity == .loopback else {
            throw ValidationError(
                "--continue is for a recording over real sockets that was cut off, and \(file) is none"
            )
        }
    }

    func validate() throws {
        if case .times = speed, json || open {
            let other =
                json ? "--json prints the outcome alone" : "the page that --open shows has its own speed"
            throw ValidationError("--speed shows rows on the terminal, and \(other): use one of them")
        }
        guard further == nil || until == nil else {
            throw ValidationError("--until ends before what --continue is to show: use one of them")
        }
    }
}

/// Shows what a replay found.
struct ReplayView {
    var session: SessionReader
    var report: ReplayReport
    var alterations: SessionAlterations
    /// For how long what the program does beyond its recording was asked for.
    var further: Duration?

    private struct JSON: Encodable {
        var same: Bool
        var compared: Int
        var virtualSeconds: Double
        var firstDifference: String?
        var recordedEnding: String?
        var replayedEnding: String?
        var recordedHash: String?
        var replayedHash: String?
        /// Where the recording was cut off, in seconds; left out for a whole one, and where the replay ended before.
        var cutOffAt: Double?
        /// What the program does after that, with `--continue`.
        var next: [Next]?
        /// How many rows of the file are not as they were recorded, and the first of them; left out for none.
        var alterations: Int?
        var firstAlterations: [String]?
    }

    private struct Next: Encodable {
        var at: Double
        var place: String
        var does: String

        init(_ difference: Difference) {
            at = Double(difference.nanoseconds) / 1e9
            (place, does) = (difference.place, difference.replayed)
        }
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
                    cutOffAt: report.cutOffAt,
                    next: further == nil ? nil : report.next.map { Next($0) },
                    alterations: alterations.count > 0 ? alterations.count : nil,
                    firstAlterations: alterations.count > 0 ? alterations.first.map(\.description) : nil
                ),
                on: terminal
            )
        }
        let what =
            "\(session.manifest.scenario.visible()), \(session.manifest.fidelity.rawValue), seed \(session.manifest.seed)"
        if report.isSame {
            let hash = report.hashes.map { ", hash \(String($0.replayed, radix: 16))" } ?? ""
            let end = report.cutOffAt.map { " until \(seconds($0)), where the recording was cut off" } ?? ""
            terminal.line(
                "\(terminal.styled("✔", .green)) replayed \(what): \(grouped(report.compared)) outputs and inputs "
                    + "the same\(end)\(hash)"
            )
        } else {
            if let end = report.cutOffAt { terminal.line("The recording was cut off at \(seconds(end)).") }
            terminal.line("\(terminal.styled("✘", .red)) replayed \(what): it differs")
            if let difference = report.firstDifference {
                terminal.line("  \(difference.description.visible(keepsLines: true))")
            }
            if let endings = report.endings {
                terminal.line("  the recording \(endings.recorded.visible(keepsLines: true))")
                terminal.line("  the replay    \(endings.replayed.visible(keepsLines: true))")
            }
            if report.firstDifference == nil, report.endings == nil, let hashes = report.hashes {
                terminal.line("  hash \(String(hashes.recorded, radix: 16)) recorded")
                terminal.line("  hash \(String(hashes.replayed, radix: 16)) replayed")
            }
        }
        guard let further, let end = report.cutOffAt else { return }
        if report.next.isEmpty {
            return terminal.line("  and then nothing until \(seconds(end + further / .seconds(1)))")
        }
        terminal.line("  and then, without an answer to anything:")
        for next in report.next {
            terminal.line(
                "  \(seconds(Double(next.nanoseconds) / 1e9))  \("\(next.place): \(next.replayed)".visible())"
            )
        }
    }

    private func seconds(_ time: Double) -> String { String(format: "%.3f s", time) }
}
