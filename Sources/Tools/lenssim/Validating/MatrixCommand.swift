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
            implementation wins. Cases of a result that was compared with references have a mark where they are not verified.

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
            let matrix = SuiteMatrix(try results.map { try SuiteResult(path: $0) })
            for line in matrix.lines { terminal.line(line.visible()) }
            if let html { try OutputFile(path: html).write(Data(matrix.page.utf8)) }
        }
    }
}
