import Foundation
import TestSupport
import Testing

/// What a person sees on a terminal; `script` of util-linux is one.
@Suite("Progress", .timeLimit(.minutes(5)))
struct ProgressTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The states of the progress line, and what follows it.
    private func states(of arguments: String, columns: Int = 200) async throws -> [String] {
        let command =
            "env TERM=xterm NO_COLOR=1 COLUMNS=\(columns) '\(CommandLineRun.program.path)' \(arguments)"
        let run = try await CommandLineRun.start(
            ["--quiet", "--return", "--command", command, "/dev/null"],
            in: folder.path,
            program: URL(filePath: "/usr/bin/script")
        ).finish()
        return run.output.replacing("\r\n", with: "\n").components(separatedBy: "\r\u{1B}[K").filter {
            !$0.isEmpty
        }
    }

    private func last(of arguments: String) async throws -> Substring {
        try #require(try await states(of: arguments).last?.split(separator: "\n").first)
    }

    @Test func `every long command shows the same line, and it stays with the way it ended`() async throws {
        let full = String(repeating: "█", count: 20)
        for (arguments, pattern) in [
            (
                "run lost-update-fixed --seeds 1...20",
                #"20/20 seeds · [0-9.]+ s · [0-9 ]+/s · 0 failed · done"#
            ),
            (
                "explore lost-update-fixed --seeds 1...20",
                #"20/20 runs · [0-9.]+ s · [0-9 ]+/s · [0-9]+ schedules · 0 failed · done"#
            ),
            ("determinism no-op lost-update --seeds 1...5", #"2/2 programs · [0-9.]+ s · [0-9 ]+/s · done"#),
        ] {
            let line = try await last(of: arguments)
            #expect(try line.wholeMatch(of: Regex("\\[\(full)\\] " + pattern)) != nil, "\(line)")
        }
    }

    @Test func `a search that is ended by a failure or by its time says so`() async throws {
        let failed = try await last(of: "explore lost-update --no-shrink")
        #expect(failed.hasSuffix(" · 1 failed · ended at a failure"), "\(failed)")
        let timed = try await last(of: "explore no-op --for 0.3s")
        #expect(
            timed.contains(" s of 0.3 s · ") && timed.hasSuffix(" · 0 failed · the time is up"),
            "\(timed)"
        )
    }

    @Test func `the line is never wider than the terminal`() async throws {
        for state in try await states(of: "run lost-update-fixed --seeds 1...500", columns: 40) {
            let line = state.prefix { $0 != "\n" }
            #expect(line.count < 40 && line.hasPrefix("["), "\(line)")
        }
    }

    @Test func `no progress is shown where nobody looks`() async throws {
        let piped = try await CommandLineRun.run(["run", "lost-update-fixed"], in: folder.path)
        #expect(!piped.output.contains("█"), "\(piped.output)")
        #expect(piped.output.split(separator: "\n").count == 3, "\(piped.output)")
        let machine = try await states(of: "run lost-update-fixed --json")
        #expect(machine.count == 1 && machine[0].hasPrefix("{"), "\(machine)")
    }
}
