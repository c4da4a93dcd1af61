import ArgumentParser
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
            guard let first = files.first else { throw ValidationError("Give at least one file.") }
            var whole = try SweepFile(path: first).read()
            for file in files.dropFirst() { try whole.merge(try SweepFile(path: file).read()) }
            if let out { try SweepFile(path: out).write(whole) }
            try ExploreView(result: whole).show(asJSON: json, on: terminal)
            if !whole.failures.isEmpty { throw Exit.failed }
        } catch let exit as ExitCode {
            throw exit
        } catch let usage as ValidationError {
            throw usage
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }
}
