import ArgumentParser
import CommandKit
import Exploration
import ScenarioKit
import SessionRecording
import Simulation

/// The command `lenssim shrink FILE`.
struct ShrinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Shrinks a failing run: as few decisions, faults and work items as still fail.",
        usage: "lenssim shrink <file> [<options>]",
        discussion: HelpText.filled(
            """
            Leaves out work, faults and decisions as long as the run fails in the same way, and writes the small run into
            the file. A failure that lenssim explore --from FILE found needs --from FILE, too.

            Examples:
              lenssim shrink .lenssim/failures/lens-upload-73.json
              lenssim shrink .lenssim/failures/lens-upload-73.json --test-case
              lenssim shrink .lenssim/failures/BankTests-moves-2.json --package . --time 60s
            """
        )
    )

    @Argument(help: "A file that lenssim explore wrote.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: "For a failure of a test: the folder of its package.", completion: .directory)
    var package: String?

    @Option(
        help: "For a failure of lenssim explore --from: the recording.",
        completion: .file(extensions: ["lenssession"])
    )
    var from: String?

    @Option(help: "Real time after which it gives what it has, such as 60s.")
    var time: DurationArgument?

    @Flag(help: "Print a Swift Testing case that repeats the small run.")
    var testCase = false

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        guard from != nil else { return }
        if package != nil {
            throw ValidationError("--from is for a failure of a recording: give it without --package.")
        }
        if testCase {
            throw ValidationError(
                "--test-case writes a test of a program in Swift, which a recording is not: give --from without it."
            )
        }
    }

    func run() throws {
        let terminal = Terminal()
        do {
            let failure = try FailureFile(path: file)
            if let package { return try shrink(failure, in: package, terminal) }
            let program = try program(of: failure)
            let isolated = failure.failure?.endsProcess ?? false
            var shrinker = Shrinker(program, limit: time?.duration ?? .seconds(10))
            shrinker.isIsolated = isolated
            Interruption.takeNote()
            shrinker.isStopped = { Interruption.isRequested }
            let result = try Self.smaller(shrinker.shrink(failure.recipe), failure, program, isolated)
            let small = try FailureFile(
                program,
                failure.recipe,
                shrunk: result,
                rate: failure.rate,
                isolated: isolated
            )
            try OutputFile(path: file).write(try small.encoded())
            if testCase { return terminal.line(result.testCase) }
            if json { return try printJSON(result, on: terminal) }
            show(result, small.trace, of: program, terminal)
        } catch let usage as ValidationError {
            throw usage
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    /// What has failed.
    ///
    /// - Throws: `ValidationError` where the failure is of something else than the recording.
    private func program(of failure: FailureFile) throws -> Program {
        guard let from else { return try ProgramCatalogue.named(failure.program) }
        let program = try SessionReader(path: from).program(with: Apps.scenarios)
        guard program.name == failure.program else {
            throw ValidationError(
                "\(file) is a failure of \(failure.program), and \(from) a recording of \(program.name)."
            )
        }
        return program
    }

    /// Lets the test itself shrink its failure, which writes the file again.
    private func shrink(_ failure: FailureFile, in package: String, _ terminal: Terminal) throws {
        var tests = PackageTests(path: package, filter: nil)
        tests.filter = "^" + TestFilter.expression(for: failure.program)
        let seconds = (time?.duration ?? .seconds(10)) / .seconds(1)
        let variables = ["LENSSIM_RECIPE": "\(failure.recipe)", "LENSSIM_SHRINK": "\(seconds)s"]
        let results = try tests.search(variables).results
        if results.allSatisfy(\.failures.isEmpty) { throw ShrinkError.passes("\(failure.recipe)") }
        try PackageSearch(tests: tests, results: results).show(asJSON: json, on: terminal)
    }

    /// What the file has already, if that is smaller and still fails in the same way.
    private static func smaller(
        _ result: Shrinker.Result,
        _ file: FailureFile,
        _ program: Program,
        _ isolated: Bool
    ) throws -> Shrinker.Result {
        guard let known = file.shrunk, known.after.isSmaller(than: result.after) else { return result }
        let again = try FailureFile(program, known.shrunk, shrunk: nil, rate: nil, isolated: isolated)
            .failure
        return again?.fingerprint == result.failure.fingerprint ? known : result
    }

    private func show(
        _ result: Shrinker.Result,
        _ trace: Trace,
        of program: Program,
        _ terminal: Terminal
    ) {
        terminal.line("\(terminal.styled("✘", .red)) \(result.failure)")
        var table = Table()
        table.add("decisions", "\(result.after.decisions) of \(result.before.decisions)")
        table.add("faults", "\(result.after.faults) of \(result.before.faults)")
        table.add("work", "\(result.after.work) of \(result.before.work)")
        table.add("steps", "\(result.after.steps) of \(result.before.steps)")
        let end = trace.events.last { $0.kind == "check" }?.step ?? trace.steps.count
        table.add("causal history", "\(grouped(trace.causes(of: end).count)) of \(grouped(end)) steps")
        table.add("tries", grouped(result.tries))
        for firing in result.shrunk.firings ?? [] { table.add("fault", "\(firing)") }
        table.lines.forEach { terminal.line($0) }
        terminal.line(
            "  reproduce  \(program.command ?? "lenssim run \(result.program)") --recipe '\(result.shrunk)'"
        )
        terminal.line("  report     lenssim report \(file) --html report.html")
        if !result.isMinimal { terminal.line("  time was up: --time 60s searches further") }
    }
}

extension Shrinker.Size {
    /// Fewer decisions, faults and items of work; of equally many, fewer steps.
    fileprivate func isSmaller(than other: Shrinker.Size) -> Bool {
        let (mine, others) = (decisions + faults + work, other.decisions + other.faults + other.work)
        return mine == others ? steps < other.steps : mine < others
    }
}
