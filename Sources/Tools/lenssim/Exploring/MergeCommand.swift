import ArgumentParser
import CommandKit
import Exploration

/// The command `lenssim merge FILE…`.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the results of parts of one sweep.",
        discussion: HelpText.filled(
            """
            The same seeds give the same file, byte for byte, however they were divided.

            Example:
              lenssim merge part1.json part2.json part3.json part4.json --out whole.json

            Exits with 1 when something failed in one of the parts.
            """
        )
    )

    @Argument(help: "Files that lenssim explore --out wrote.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Option(help: "Write the joined result.", completion: .file(extensions: ["json"]))
    var out: String?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() throws {
        let terminal = Terminal()
        do {
            if files.isEmpty { throw ValidationError("Give at least one file.") }
            let whole = try Self.merged(try files.map { try SweepFile(path: $0).read() })
            let views = whole.results.map { ExploreView(result: $0) }
            switch whole {
            case .one(let result):
                if let out { try SweepFile(path: out).write(result) }
                try views[0].show(asJSON: json, on: terminal)
            case .tests(let results):
                if let out { try SweepFile(path: out).write(results) }
                if json {
                    try printJSON(views.map(\.json), on: terminal)
                } else {
                    for view in views { try view.show(asJSON: false, on: terminal) }
                }
            }
            if !whole.results.allSatisfy(\.failures.isEmpty) { throw Exit.failed }
        } catch let exit as ExitCode {
            throw exit
        } catch let usage as ValidationError {
            throw usage
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    /// The parts of one sweep, or those of each test of a package.
    private static func merged(_ files: [SweepFile.Contents]) throws -> SweepFile.Contents {
        var tests: [String: SweepResult] = [:]
        var whole: SweepResult?
        for file in files {
            switch file {
            case .one(let part):
                guard var known = whole else {
                    whole = part
                    continue
                }
                try known.merge(part)
                whole = known
            case .tests(let parts):
                for part in parts {
                    var known =
                        tests[part.program] ?? SweepResult(program: part.program, strategy: part.strategy)
                    try known.merge(part)
                    tests[part.program] = known
                }
            }
        }
        let results = tests.values.sorted { $0.program < $1.program }
        guard let whole else { return .tests(results) }
        if let test = results.first { throw MergeError.different(whole.program, test.program) }
        return .one(whole)
    }
}
