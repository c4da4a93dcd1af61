import Foundation
import TestSupport
import Testing

@Suite("What the command line says is so", .timeLimit(.minutes(10)))
struct HonestyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    @Test func `the line that repeats a failure has its settings, and fails too`() async throws {
        let failed = try await lenssim("run", "lens-drop-resumes", "--seconds", "1", "--seeds", "1...5")
        #expect(failed.status == 1)
        let line = try #require(
            failed.output.split(separator: "\n").first { $0.contains("reproduce: lenssim ") }
        )
        let words = line.replacing("reproduce: lenssim ", with: "").split(separator: " ").map(String.init)
        #expect(words.contains("--seconds"))
        #expect(try await CommandLineRun.run(words, in: folder.path).status == 1)
    }

    @Test func `Ctrl-C ends a sweep with what it has found`() async throws {
        let started = try CommandLineRun.start(
            [
                "explore", "lost-update", "--for", "100s", "--keep-going", "--no-shrink", "--out",
                "found.json",
            ],
            in: folder.path
        )
        try await started.handlesInterrupts()
        started.process.interrupt()
        let run = try await started.finish()
        #expect(run.status == 130)
        #expect(run.output.contains("lost-update, portfolio: "))
        // 1 where something was found before, 0 otherwise: a result it is in any case.
        #expect([0, 1].contains(try await lenssim("merge", "found.json").status))
    }

    @Test func `a run that crashes is a failure of the sweep, and can be repeated`() async throws {
        let run = try await lenssim("explore", "stale-index", "--no-shrink")
        #expect(run.status == 1)
        #expect(run.output.contains("the process crashed: "), "\(run.output)")
        #expect(run.output.contains("lenssim run stale-index --recipe 'seed="), "\(run.output)")
    }

    @Test func `a sweep in processes tells of a run that ends its process`() async throws {
        let run = try await lenssim(
            "explore",
            "stale-index",
            "--isolate",
            "--no-shrink",
            "--seeds",
            "1...20",
            "--keep-going"
        )
        #expect(run.status == 1)
        #expect(run.output.contains("crash"))
    }

    @Test func `output that is lost is no success`() async throws {
        let shell = URL(filePath: "/bin/sh")
        let program = CommandLineRun.program.path
        let full = try await CommandLineRun.start(
            ["-c", "'\(program)' scenarios > /dev/full"],
            in: folder.path,
            program: shell
        ).finish()
        #expect(full.status == 74)
        #expect(full.errors.contains("could not write the output"))
    }

    @Test func `a file that is written keeps its kind`() async throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: folder.path + "/link.json",
            withDestinationPath: folder.path + "/target.json"
        )
        for _ in 0..<2 {
            let run = try await lenssim(
                "explore",
                "lost-update",
                "--seeds",
                "1...3",
                "--no-shrink",
                "--out",
                "link.json"
            )
            #expect(run.status == 0 || run.status == 1)
            #expect(
                try manager.destinationOfSymbolicLink(atPath: folder.path + "/link.json").hasSuffix(
                    "target.json"
                )
            )
            #expect(try Data(contentsOf: URL(filePath: folder.path + "/target.json")).count > 100)
        }
        _ = try await lenssim(
            "explore",
            "lost-update",
            "--seeds",
            "1...3",
            "--no-shrink",
            "--out",
            "/dev/null"
        )
        var status = stat()
        #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test(arguments: [
        ["run", "lens-streaming", "--fidelity", "loopback", "--check-determinism"],
        ["run", "lens-streaming", "--seed", "1", "--record", "a.lenssession", "--check-determinism"],
        ["run", "lens-upload", "--recipe", "seed=7", "--seed", "7"],
        ["run", "lens-upload", "--recipe", "seed=7", "--strategy", "pct"],
        ["run", "lens-streaming", "--fidelity", "loopback", "--strategy", "pct"],
        ["run", "lens-streaming", "--seeds", "0...18446744073709551615"],
        ["run", "lens-streaming", "--seeds", "5..."],
        ["run", "lens-streaming", "--size", "640x360xfoo"],
        ["explore", "lost-update", "--exhaustive", "--plan", "none.yaml"],
        ["explore", "lost-update", "--cancellations", "--out", "a.json"],
        ["explore", "lost-update", "--jobs", "100000000"],
        ["report", "a.json", "--recipe", "99", "--html", "a.html"],
    ])
    func `options that would mean nothing are refused`(_ arguments: [String]) async throws {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64, "\(run.errors)")
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }
        #expect(written.isEmpty)
    }
}
