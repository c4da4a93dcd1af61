import Foundation
import TestSupport
import Testing

@Suite("Interruption", .timeLimit(.minutes(5)))
struct InterruptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The programs that run in a session; not those that have ended and are not reaped yet.
    private func programs(inSession session: Int32) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap {
            process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                // The name of the program, in parentheses, may hold anything (proc(5)).
                let fields = status.split(separator: ")").last?.split(separator: " "), fields.count > 3,
                fields[3] == "\(session)", fields[0] != "Z"
            else { return nil }
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            return program ?? "process \(process)"
        }
    }

    /// Starts tests as `make test` does, in a session of their own, and gives its number.
    ///
    /// With signals as a terminal leaves them, whatever the caller of these tests ignores. They go on for far longer than it takes to interrupt them, with processes that would serve forever.
    private func startTests() async throws -> (CommandLineRun.Started, session: Int32) {
        let tests = "--filter '^LenssimTests\\.ServeTests' --repetitions 10000"
        let script =
            "echo $$ && cd '\(CommandLineRun.package.path)' && exec env --default-signal=INT,TERM,HUP ./scripts/run-tests \(tests)"
        let started = try CommandLineRun.start(
            ["--wait", "/bin/sh", "-c", script],
            in: folder.path,
            environment: ["TMPDIR": folder.path],
            program: URL(filePath: "/usr/bin/setsid")
        )
        try await started.waits(for: "\n")
        let first = started.output().split(separator: "\n").first.flatMap { Int32($0) }
        return (started, try #require(first))
    }

    @Test func `a program that is asked to stop as soon as it says that it can be notices it`() async throws {
        let program = CommandLineRun.package.appending(path: ".build/debug/StopRequested")
        let run = try await CommandLineRun.start([], in: folder.path, program: program).finish()
        #expect(run.status == 0 && run.output == "noticed\n", "\(run)")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `tests that are interrupted leave no process`(_ signal: Int32) async throws {
        let (started, session) = try await startTests()
        // The tests, and something that they have started.
        while try !programs(inSession: session).contains(where: { $0.hasSuffix("/lenssim") }) {
            try #require(started.process.isRunning, "the tests ended: \(started.errors())")
            try await Task.sleep(for: .milliseconds(20))
        }
        // As a terminal does: to the group of the tests, which need not be that of their children.
        #expect(kill(-session, signal) == 0)
        let deadline = ContinuousClock.now + .seconds(60)
        while try !programs(inSession: session).isEmpty, .now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try programs(inSession: session) == [])
        #expect(started.errors().contains("Test run started"))
        #expect(!started.errors().contains("Test run with "))
    }
}
