import Foundation
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Recordings of the last minutes on the command line", .timeLimit(.minutes(10)))
struct LiveLastMinutesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    /// A recording of Flow that lasts 200 seconds.
    private func record(last: Duration?) throws {
        let writer = try SessionWriter(
            path: folder.file("a.lenssession"),
            manifest: SessionManifest(
                scenario: "flow",
                fidelity: .loopback,
                seed: 1,
                parameters: [:],
                startOfTime: 0,
                recordedBy: "0.1.0"
            ),
            retention: Retention(last: last)
        )
        for second in 0...200 {
            writer.add(
                TraceEvent(
                    step: second,
                    nanoseconds: Int64(second) * 1_000_000_000,
                    node: "",
                    kind: "device",
                    detail: "{\"second\":\(second)}"
                )
            )
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 200_000_000_000, hash: 0, failure: nil))
    }

    @Test func `what has lost its beginning is shown and exported, and says which part it is`() async throws {
        try record(last: .seconds(80))
        let part = "the last 1 min 20 s of 3 min 20 s"
        let shown = try await lenssim("inspect", "a.lenssession")
        #expect(shown.status == 0 && shown.output.contains("recorded by 0.1.0: \(part), passed"))
        #expect(shown.output.contains("81 events"))
        let lines = try await lenssim("inspect", "a.lenssession", "--json")
        #expect(lines.status == 0 && lines.output.hasPrefix("{\"keptFrom\":120,\"seconds\":200}\n{"))
        let exported = try await lenssim("export", "a.lenssession", "--to", "jsonl", "--out", "-")
        #expect(exported.output == lines.output)
        let file = try await lenssim("export", "a.lenssession", "--to", "mcap")
        #expect(file.status == 0 && file.output.hasSuffix(", \(part))\n"), "\(file.output)")
        let listed = try await lenssim("sessions")
        #expect(listed.output.contains(part))
        let rows = try await lenssim("sessions", "--json")
        #expect(rows.output.contains("\"keptFrom\" : 120") || rows.output.contains("\"keptFrom\":120"))
    }

    @Test func `what has lost its beginning cannot be run again, and the message says what else to do`()
        async throws
    {
        try record(last: .seconds(80))
        for arguments in [
            ["replay", "a.lenssession"], ["explore", "--from", "a.lenssession", "--seeds", "1...3"],
            ["run", "--from", "a.lenssession", "--recipe", "seed=1"],
        ] {
            let run = try await CommandLineRun.run(arguments, in: folder.path)
            #expect(run.status == 65, "\(arguments): \(run.output)")
            #expect(
                run.errors.contains(
                    "a.lenssession cannot be run again: it has the last 1 min 20 s of 3 min 20 s, and an app runs from its start"
                ) && run.errors.contains("lenssim inspect"),
                "\(run.errors)"
            )
        }
    }

    @Test func `a recording that is shorter than what is kept is a whole one`() async throws {
        try record(last: .seconds(300))
        let shown = try await lenssim("inspect", "a.lenssession")
        #expect(shown.output.contains("recorded by 0.1.0: 200.000 s, passed"))
        // It is begun, and what this test has written is no session of Flow.
        let replayed = try await lenssim("replay", "a.lenssession")
        #expect(!replayed.errors.contains("cannot be run again"), "\(replayed.errors)")
    }

    @Test(arguments: ["lens", "flow", "argus", "nova"])
    func `each program takes --last with --record, within its bounds`(program: String) async throws {
        func run(_ arguments: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(
                arguments,
                in: folder.path,
                program: CommandLineRun.package.appending(path: ".build/debug/\(program)")
            ).finish()
        }
        let alone = try await run("--last", "10m")
        #expect(
            alone.status == 64 && alone.errors.contains("--last is about a recording: add --record FILE.")
        )
        for length in ["0.5s", "25h"] {
            let bad = try await run("--record", "a.lenssession", "--last", length)
            #expect(bad.status == 64 && bad.errors.contains("--last wants 1s to 24h, such as 10m."))
        }
        #expect(try await run("--record", "a.lenssession", "--last", "soon").status == 64)
        #expect(!FileManager.default.fileExists(atPath: folder.file("a.lenssession")))
        #expect(try await run("--help").output.contains("--record always.lenssession --last 10m"))
    }
}
