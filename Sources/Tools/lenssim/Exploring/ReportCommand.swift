import ArgumentParser
import CommandKit
import Exploration
import Foundation
import Simulation
import TraceReport

/// The command `lenssim report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Shows one run: a page with lanes, messages, faults and the state at every step.",
        usage: "lenssim report <source> [<options>]",
        discussion: HelpText.filled(
            """
            Takes a failure that lenssim explore wrote, a .lenssession, or the name of a scenario, which is run once.
            The page is one file that loads nothing and works offline.

            Examples:
              lenssim report .lenssim/failures/lens-upload-73.json --html bug.html
              lenssim report demo.lenssession --html demo.html
              lenssim report lens-streaming --recipe 7 --perfetto seven.json     for ui.perfetto.dev
            """
        )
    )

    @Argument(help: "A failure file, a .lenssession, or a scenario.", completion: .file())
    var source: String

    @Option(
        help: "For a scenario: the run, as lenssim explore or shrink prints it; a seed alone will do.",
        transform: RecipeArgument.read
    )
    var recipe: RecipeArgument?

    @Option(help: "Where to write the page.", completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: "Where to write the trace in the form that Perfetto reads.",
        completion: .file(extensions: ["json"])
    )
    var perfetto: String?

    func validate() throws {
        guard html != nil || perfetto != nil else {
            throw ValidationError("Say what to write: --html FILE, --perfetto FILE, or both.")
        }
        if recipe != nil, source.hasSuffix(".json") || source.hasSuffix(".lenssession") {
            throw ValidationError("--recipe goes with a program's name; a file has its own.")
        }
    }

    func run() throws {
        let terminal = Terminal()
        do {
            let run = try RecordedRun(source, recipe: recipe?.recipe)
            if let html { try write(try run.page.html(), to: html, terminal) }
            if let perfetto { try write(try PerfettoTrace(run.page.trace).json(), to: perfetto, terminal) }
        } catch let usage as ValidationError {
            throw usage
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    private func write(_ data: Data, to path: String, _ terminal: Terminal) throws {
        try OutputFile(path: path).write(data)
        terminal.line("\(path) (\(grouped(data.count / 1024)) KB)")
    }
}
