import Foundation
import TestSupport
import Testing

@Suite("lenssim doctor", .timeLimit(.minutes(5)))
struct DoctorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Finding: Decodable {
        var area: String
        var name: String
        var state: String
        var detail: String
        var advice: String?
    }

    private func findings(_ run: CommandLineRun) throws -> [String: Finding] {
        let all = try JSONDecoder().decode([Finding].self, from: Data(run.output.utf8))
        return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    @Test func `it says how each thing is, and what makes the missing ones usable`() async throws {
        let run = try await CommandLineRun.run(
            ["doctor", "--json"],
            in: folder.path,
            environment: ["PATH": folder.path, "TMPDIR": folder.path, "LENSSIM_SYMBOLIZER": "/nowhere"]
        )
        #expect(run.status == 0, "\(run.errors)")
        let found = try findings(run)
        for name in ["engine", "cores", "kernel", "state folder", "open files", "127.0.0.1"] {
            #expect(found[name]?.state == "usable", "\(name): \(found[name]?.detail ?? "missing")")
        }
        for (name, advice) in [
            ("espeak-ng", "apt-get install espeak-ng"), ("aplay", "apt-get install alsa-utils"),
            ("pocketsphinx_continuous", "apt-get install pocketsphinx pocketsphinx-en-us"),
            ("gdbus", "apt-get install libglib2.0-bin"), ("xdg-open", "apt-get install xdg-utils"),
            ("files of worlds", "unset TMPDIR, and have a gigabyte free in /dev/shm"),
            ("llvm-symbolizer", "put the toolchain's in PATH, or name one in LENSSIM_SYMBOLIZER"),
        ] {
            #expect(found[name]?.state == "absent" && found[name]?.advice == advice, "\(name)")
        }
    }

    @Test func `a program that is there is named with its place, and of a key it is said that it is set`()
        async throws
    {
        let program = folder.file("aplay")
        try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let run = try await CommandLineRun.run(
            ["doctor"],
            in: folder.path,
            environment: ["PATH": folder.path, "SUPABASE_KEY": "very-secret-key"]
        )
        #expect(run.status == 0)
        #expect(run.output.contains("✔ aplay                    plays what was spoken: \(program)\n"))
        #expect(run.output.contains("✔ SUPABASE_KEY             set, for demo"))
        #expect(run.output.contains("– GEMINI_API_KEY           not set, for demo"))
        #expect(!run.output.contains("very-secret") && !run.errors.contains("very-secret"))
        // Areas are headings, each once.
        let headings = run.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(headings == ["simulation", "files", "programs", "devices", "network", "keys"])
    }

    @Test func `where no command can work it ends with 1`() async throws {
        // A file system without a byte free.
        let run = try await CommandLineRun.run(
            ["doctor", "--json"],
            in: folder.path,
            launcher: ["/usr/bin/env", "--chdir=/proc"]
        )
        #expect(run.status == 1, "\(run.errors)")
        let state = try #require(try findings(run)["state folder"])
        #expect(state.state == "broken" && state.detail.contains("/proc"))
        #expect(["free some space", "go to another folder, or allow writing there"].contains(state.advice))
    }
}
