import ArgumentParser
import CommandKit
import Conformance
import Foundation

/// The command `lenssim matrix`.
struct MatrixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Puts results of lenssim validate beside each other: implementations by requirements.",
        discussion: HelpText.filled(
            """
            The page is one file that loads nothing and works offline. Results of one suite make one table; the last result of an \
            implementation wins.

            Examples:
              lenssim matrix folder.json s3.json
              lenssim matrix folder.json s3.json --html matrix.html
            """
        )
    )

    @Argument(
        help: "Files that lenssim validate --out, or a backend's own program, has written.",
        completion: .file(extensions: ["json"])
    )
    var results: [String]

    @Option(help: "Where to write the page.", completion: .file(extensions: ["html"]))
    var html: String?

    func run() async throws {
        try await reportingFailures { terminal in
            let matrix = ValidationMatrix(try results.map(Self.read))
            for line in matrix.lines { terminal.line(line.visible()) }
            if let html { try OutputFile(path: html).write(Data(matrix.page.utf8)) }
        }
    }

    private static func read(_ path: String) throws -> SuiteResult {
        try InputFile(path: path).check()
        do {
            return try SuiteResult(json: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw UnusableResult(path: path)
        }
    }

    /// A file that has no result.
    private struct UnusableResult: ExitCoded, CustomStringConvertible {
        var path: String
        var exitCode: ExitCode { Exit.dataUnusable }
        var description: String { "\(path) has no result of lenssim validate: write one with --out" }
    }
}
