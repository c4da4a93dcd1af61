package import ArgumentParser
import CommandKit
import Foundation
import SessionExport
import SessionPage
import SessionRecording
import TraceReport

/// The command `lenssim export FILE --to FORMAT`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a recording in a format that other programs read.",
        discussion: HelpText.filled(
            """
            Secrets are masked in a recording, and so they are in what is made of it.

            Examples:
              lenssim export demo.lenssession --to har             requests and WebSocket messages, for a browser's developer tools
              lenssim export demo.lenssession --to perfetto        a trace for ui.perfetto.dev
              lenssim export demo.lenssession --to mcap            all of it with its pictures, for Foxglove
              lenssim export demo.lenssession --to mov --out seen.mov
              lenssim export demo.lenssession --to jsonl --out -   each entry as a line, for jq
              lenssim export demo.lenssession --to curl            requests as a shell script
              lenssim export demo.lenssession --to html            the app's page with all of it, in one file to send on
            """
        )
    )

    /// What a recording is written as.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case har, mcap, perfetto, mov, jsonl, curl, html

        /// How names of its files end.
        var ending: String {
            switch self {
            case .har, .mcap, .mov, .jsonl, .html: rawValue
            case .perfetto: "perfetto.json"
            case .curl: "sh"
            }
        }

        /// What writes it; `nil` for a trace, for which a simulated run is run again, and for a page.
        var export: (any SessionExporter)? {
            switch self {
            case .har: HARExporter()
            case .mcap: MCAPExporter()
            case .mov: MovieExporter()
            case .jsonl: JSONLinesExporter()
            case .curl: CurlExporter()
            case .perfetto, .html: nil
            }
        }
    }

    @Argument(help: "A .lenssession file.", completion: .file(extensions: ["lenssession"]))
    var file: String

    @Option(name: .customLong("to"), help: "The format.")
    var format: Format

    @Option(
        help: "Where to write it; - is the standard output. (default: beside the recording)",
        completion: .file()
    )
    var out: String?

    func run() async throws {
        try await reportingFailures { terminal in
            let session = try SessionReader(path: file, checksPages: false)
            let page = format == .html ? try Self.page(of: session) : nil
            if out == "-" {
                for sentence in page?.reveals ?? [] {
                    FileHandle.standardError.write(
                        Data("whoever opens it sees: \(sentence.visible())\n".utf8)
                    )
                }
                return try write(session, page, to: OutputFile.writeOut)
            }
            let name = file.hasSuffix(".lenssession") ? String(file.dropLast(".lenssession".count)) : file
            let path = out ?? "\(name).\(format.ending)"
            guard !Self.isSame(path, file) else {
                throw ValidationError("\(path) is the recording itself: give another --out.")
            }
            var count = 0
            try OutputFile(path: path).write { sink in
                try write(session, page) { piece in
                    count += piece.count
                    try sink(piece)
                }
            }
            let part = try session.keptPart().map { ", \($0)" } ?? ""
            terminal.line("\(path) (\(grouped((count + 1023) / 1024)) KB\(part))")
            guard let page else { return }
            terminal.line("Whoever opens it sees:")
            for sentence in page.reveals { terminal.line("  - \(sentence.visible())") }
        }
    }

    /// The page of the app that was recorded.
    private static func page(of session: SessionReader) throws -> SharedPage {
        try SharedPage(session.shownApp(), session)
    }

    private func write(_ session: SessionReader, _ page: SharedPage?, to sink: ExportSink) throws {
        if let page { return try sink(page.bytes) }
        if let export = format.export { return try export.write(session, to: sink) }
        try sink(try PerfettoTrace(RecordedRun.trace(of: session)).json())
    }

    /// Whether two names are of the same file, through whatever links.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let numbers = [one, other].map { path -> [Int?] in
            let target = URL(filePath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: target)
            return [attributes?[.systemNumber] as? Int, attributes?[.systemFileNumber] as? Int]
        }
        return numbers[0] == numbers[1] && !numbers[0].contains(nil)
    }
}

extension SharedPage.Failure: ExitCoded {
    package var exitCode: ExitCode { Exit.dataUnusable }
}

extension ExportError: ExitCoded {
    package var exitCode: ExitCode { Exit.dataUnusable }
}
