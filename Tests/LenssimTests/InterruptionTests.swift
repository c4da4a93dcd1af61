import Foundation
import Testing

@Suite("Interruption", .timeLimit(.minutes(5)))
struct InterruptionTests {
    private let folder = TemporaryFolder()

    /// The processes of a session, but for those that have ended and are not collected yet.
    private func processes(ofSession session: Int32) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter {
            process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                // The name of the program, in parentheses, may hold anything (proc(5)).
                let fields = status.split(separator: ")").last?.split(separator: " "), fields.count > 3
            else { return false }
            return fields[3] == "\(session)" && fields[0] != "Z"
        }
    }

    /// Starts tests as `make test` does, in a session of their own, and gives its number.
    private func startTests(_ filter: String) async throws -> (CommandLineRun.Started, session: Int32) {
        let script =
            "echo $$ && cd '\(CommandLineRun.package.path)' && exec ./scripts/run-tests --filter '\(filter)'"
        let started = try CommandLineRun.start(
            ["--wait", "/bin/sh", "-c", script],
            in: folder.path,
            program: URL(filePath: "/usr/bin/setsid")
        )
        try await started.waits(for: "\n")
        let first = started.output().split(separator: "\n").first.flatMap { Int32($0) }
        return (started, try #require(first))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `tests that are interrupted leave no process`(_ signal: Int32) async throws {
        let (started, session) = try await startTests("LenssimTests.ServeTests")
        // The tests, and something that they have started.
        while try processes(ofSession: session).count < 2 {
            #expect(!started.output().contains("Test run with "))
            try await Task.sleep(for: .milliseconds(20))
        }
        // As a terminal does: to the group of the tests, which need not be that of their children.
        kill(-session, signal)
        while try !processes(ofSession: session).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!started.output().contains("Test run with "))
    }
}
