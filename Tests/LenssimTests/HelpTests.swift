import Foundation
import TestSupport
import Testing

@Suite("Help", .timeLimit(.minutes(5)))
struct HelpTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func help(_ command: String, columns: Int) async throws -> [String] {
        let run = try await CommandLineRun.run(
            [command, "--help"].filter { !$0.isEmpty },
            in: folder.path,
            environment: ["COLUMNS": "\(columns)"]
        )
        #expect(run.status == 0, "\(run.errors)")
        return run.output.components(separatedBy: "\n")
    }

    @Test(arguments: [80, 120])
    func `help fits the terminal, and its paragraphs are filled`(columns: Int) async throws {
        let all = try await help("", columns: columns)
        let start = try #require(all.firstIndex(of: "SUBCOMMANDS:")) + 1
        let names = all[start...].filter {
            $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("See '")
        }
        .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count >= 13)
        for name in [""] + names {
            let lines = try await help(name, columns: columns)
            for line in lines { #expect(line.count <= columns, "\(name): \(line)") }
            let usage = try #require(lines.firstIndex { $0.hasPrefix("USAGE:") })
            for (line, next) in zip(lines[..<usage], lines[1..<usage]) where isText(line) && isText(next) {
                let word = next.prefix { $0 != " " }
                // Two columns are kept free.
                #expect(line.count + 1 + word.count > columns - 2, "\(name): broken too early: \(line)")
            }
        }
    }

    /// Whether it is a line of a paragraph.
    private func isText(_ line: String) -> Bool {
        !line.isEmpty && !line.hasPrefix(" ") && !line.hasSuffix(":")
    }

    @Test func `what an example does stands beside it, or below it where the terminal is narrow`()
        async throws
    {
        let wide = try await help("serve", columns: 120)
        let example =
            "  lenssim serve gemini --record answers.yaml --from google  records a real server's answers"
        #expect(wide.contains(example), "\(wide.joined(separator: "\n"))")
        let narrow = try await help("serve", columns: 60)
        let index = try #require(narrow.firstIndex(of: "  lenssim serve gemini --tls --json"))
        #expect(narrow[index + 1].hasPrefix("      addresses, keys"))
    }

    @Test func `help and the page of commands list the same exit codes`() async throws {
        let page = try String(
            contentsOf: CommandLineRun.package.appending(path: "Documentation/CommandLine.md"),
            encoding: .utf8
        )
        let documented = page.matches(of: /\n\| ([0-9]+) \|/).map { String($0.1) }
        let shown = try await help("", columns: 100).joined(separator: "\n").matches(
            of: /\n  ([0-9]+) +[a-z]/
        )
        .map { String($0.1) }
        #expect(documented == shown)
        #expect(shown.count >= 11)
    }
}
