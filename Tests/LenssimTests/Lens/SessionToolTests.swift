import Foundation
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Recordings on the command line", .timeLimit(.minutes(10)))
struct SessionToolTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    /// Records a demonstration.
    private func record(_ name: String = "a.lenssession") async throws {
        let run = try await lenssim(
            "demo",
            "--seconds",
            "3",
            "--seed",
            "5",
            "--state",
            "state",
            "--session",
            name
        )
        #expect(run.status == 0, "\(run.errors)")
    }

    private struct Listed: Decodable {
        var path: String
        var scenario: String?
        var seed: UInt64?
        var seconds: Double?
        var recorded: String?
        var ending: String
        var isReadable: Bool
    }

    private func listed(_ arguments: String...) async throws -> [Listed] {
        let run = try await CommandLineRun.run(["sessions", "--json"] + arguments, in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode([Listed].self, from: Data(run.output.utf8))
    }

    @Test
    func
        `recordings are listed with their ends, also in folders of a folder, and what cannot be read with its reason`()
        async throws
    {
        #expect(try await lenssim("sessions").output.contains("No recordings are here. lenssim demo"))
        #expect(try await listed().isEmpty)
        #expect(
            try await lenssim("run", "lens-upload", "--seed", "4", "--record", "one.lenssession").status == 0
        )
        try FileManager.default.createDirectory(
            atPath: folder.file("deep/.lenssim"),
            withIntermediateDirectories: true
        )
        try await KilledDemo.record(folder.file("deep/.lenssim/killed.lenssession"), in: folder.path)
        try Data("no recording".utf8).write(to: URL(filePath: folder.file("deep/bad.lenssession")))
        try FileManager.default.createDirectory(
            atPath: folder.file("deep/.git"),
            withIntermediateDirectories: true
        )
        try Data().write(to: URL(filePath: folder.file("deep/.git/x.lenssession")))

        let all = try await listed()
        #expect(
            all.map(\.path) == [
                "deep/.lenssim/killed.lenssession", "one.lenssession", "deep/bad.lenssession",
            ]
        )
        #expect(all.map(\.ending).prefix(2) == ["cut off", "passed"])
        #expect(all[0].scenario == "demo" && all[1].scenario == "lens-upload" && all[1].seed == 4)
        #expect(all.map(\.isReadable) == [true, true, false])
        #expect(
            all[2].ending.contains("no LensSim session") || all[2].ending.contains("not"),
            "\(all[2].ending)"
        )
        #expect(try #require(all[0].seconds) > 0)
        #expect(all[0].recorded?.hasSuffix("Z") == true)

        let rows = try await lenssim("sessions").output.split(separator: "\n")
        #expect(rows.count == 3 && rows[0].hasSuffix("deep/.lenssim/killed.lenssession  cut off"))
        #expect(try await listed("one.lenssession", "deep").count == 3)
        let nowhere = try await lenssim("sessions", "nowhere")
        #expect(nowhere.status == 66 && nowhere.errors.contains("nowhere"))
    }

    @Test func `a recording is shown row by row, and any row whole`() async throws {
        try await record()
        let run = try await lenssim("inspect", "a.lenssession", "--limit", "10")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.status == 0)
        #expect(
            lines[0].hasPrefix("demo, over sockets, seed 5, recorded by ") && lines[0].hasSuffix(", passed")
        )
        #expect(lines[1].contains("captures · ") && lines[1].contains("connections: 1 http, 1 websocket"))
        let rows = try #require(lines.firstIndex(of: "")) + 1
        #expect(lines[rows].contains(/^m1 +\d+\.\d{3}  websocket 0        → GET ws:\/\/127\.0\.0\.1:/))
        #expect(lines.count == rows + 12)
        #expect(lines[rows + 10].hasPrefix("… ") && lines[rows + 10].contains(" more: --limit 0"))

        let some = ["inspect", "a.lenssession", "--only", "captures"]
        let all = try await CommandLineRun.run(some + ["--json"], in: folder.path).output.split(
            separator: "\n"
        )
        let wanted = all.filter { line in
            let entry = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (entry?["at"] as? Double).map { (1.0...2.0).contains($0) } ?? false
        }
        #expect(!wanted.isEmpty && wanted.count < all.count)
        let window = some + ["--from", "1s", "--until", "2s"]
        let found = try await CommandLineRun.run(window + ["--json"], in: folder.path)
        #expect(found.output.split(separator: "\n") == wanted)
        let frames = try await CommandLineRun.run(window, in: folder.path).output
        #expect(frames.components(separatedBy: "camera               frame ").count == wanted.count + 1)
        let first = try await CommandLineRun.run(some + ["--json", "--limit", "2"], in: folder.path)
        #expect(first.output.split(separator: "\n") == Array(all.prefix(2)))

        let http = try await lenssim("inspect", "a.lenssession", "--only", "http")
        #expect(http.output.contains("→ POST http://127.0.0.1:"))
        #expect(http.output.contains("← 200 "))
        #expect(!http.output.contains("websocket 0 "))
        let photo = try await lenssim("inspect", "a.lenssession", "--containing", #""capturePhoto""#)
        #expect(photo.output.components(separatedBy: "capturePhoto").count == 2)
        #expect(photo.output.contains("screen camera      ● action, 19 bytes {\"capturePhoto\":{}}"))

        let whole = try await lenssim("inspect", "a.lenssession", "m3")
        #expect(whole.output.hasPrefix("m3, at 0."))
        #expect(
            whole.output.contains("sent: text, ") && whole.output.contains("\n    \"generationConfig\" : {\n")
        )
        let line = try await lenssim("inspect", "a.lenssession", "m3", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(line.output.utf8)) as? [String: Any]
        #expect(object?["place"] as? String == "websocket 0" && object?["json"] is [String: Any])
    }

    @Test func `what is asked for wrongly, or is not there, is said`() async throws {
        try await record()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: folder.file("a.lenssession")
        )
        let recorded = try Data(contentsOf: URL(filePath: folder.file("a.lenssession")))
        for (arguments, status, words) in [
            (["inspect", "b.lenssession"], 66, "b.lenssession"),
            (["inspect", "a.lenssession", "m99999"], 64, "The recording has no m99999"),
            (["inspect", "a.lenssession", "57"], 64, "57"),
            (["inspect", "a.lenssession", "m1", "--follow"], 64, "One entry is shown whole"),
            (["inspect", "a.lenssession", "--only", "http,captors"], 64, "http,captors"),
            (["inspect", "a.lenssession", "--from", "3s", "--until", "2s"], 64, "later than --until"),
            (["inspect", "a.lenssession", "--limit=-1"], 64, "0 shows all"),
            (["export", "a.lenssession", "--to", "pcap"], 64, "pcap"),
            (
                ["export", "a.lenssession", "--to", "har", "--out", "./a.lenssession"], 64,
                "the recording itself"
            ),
            (["export", "a.lenssession", "--to", "har", "--out", "link"], 64, "the recording itself"),
            (["inspect", "a.lenssession", "--extract", "nothing"], 64, "The recording has no file nothing"),
            (["export", "state", "--to", "har"], 65, "state"),
            (
                ["export", "a.lenssession", "--to", "har", "--out", "no/folder.har"], 74,
                "Make its folder first"
            ),
        ] {
            let run = try await CommandLineRun.run(arguments, in: folder.path)
            #expect(run.status == status, "\(arguments): \(run.status) \(run.errors)")
            #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
        }
        #expect(try Data(contentsOf: URL(filePath: folder.file("a.lenssession"))) == recorded)
        #expect(try await lenssim("run", "lens-streaming", "--record", "simulated.lenssession").status == 0)
        let nothing = try await lenssim("export", "simulated.lenssession", "--to", "mov")
        #expect(nothing.status == 65 && nothing.errors.contains("the recording has no picture"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("simulated.mov")))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".new")
        }
        #expect(left.isEmpty)
    }

    @Test func `each format is written beside the recording, or where the user wants it`() async throws {
        try await record()
        for (format, file) in [
            ("har", "a.har"), ("mcap", "a.mcap"), ("perfetto", "a.perfetto.json"), ("mov", "a.mov"),
            ("jsonl", "a.jsonl"), ("curl", "a.sh"),
        ] {
            let run = try await lenssim("export", "a.lenssession", "--to", format)
            #expect(run.status == 0 && run.output.hasPrefix("\(file) ("), "\(format): \(run.errors)")
            let written = try Data(contentsOf: URL(filePath: folder.file(file)))
            #expect(
                try await lenssim("export", "a.lenssession", "--to", format, "--out", "other").status == 0
            )
            #expect(try Data(contentsOf: URL(filePath: folder.file("other"))) == written)
        }
        let piped = try await lenssim("export", "a.lenssession", "--to", "jsonl", "--out", "-")
        #expect(try Data(piped.output.utf8) == Data(contentsOf: URL(filePath: folder.file("a.jsonl"))))
        #expect(try await lenssim("inspect", "a.lenssession", "--json").output == piped.output)
    }

    @Test func `what is written to the output stands behind what the shell has there`() async throws {
        #expect(try await lenssim("run", "lens-streaming", "--record", "a.lenssession").status == 0)
        let lines = try await lenssim("export", "a.lenssession", "--to", "jsonl", "--out", "-").output
        try #require(!lines.isEmpty)
        for out in ["-", "/dev/stdout"] {
            try Data("before\n".utf8).write(to: URL(filePath: folder.file("all")))
            let shell = try CommandLineRun.start(
                [
                    "-c",
                    "'\(CommandLineRun.program.path)' export a.lenssession --to jsonl --out \(out) >> all",
                ],
                in: folder.path,
                program: URL(filePath: "/bin/sh")
            )
            #expect(try await shell.finish().status == 0)
            let written = try String(contentsOfFile: folder.file("all"), encoding: .utf8)
            #expect(written.hasPrefix("before\n" + lines), "\(out)")
        }
    }

    @Test func `a file that takes the place of another one has its rights, and a link stays one`()
        async throws
    {
        #expect(try await lenssim("run", "lens-streaming", "--record", "a.lenssession").status == 0)
        try Data("old".utf8).write(to: URL(filePath: folder.file("private")))
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("private"))
        try files.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file("private"))
        try files.createSymbolicLink(
            atPath: folder.file("dangling"),
            withDestinationPath: folder.file("later")
        )
        for out in ["link", "dangling"] {
            #expect(try await lenssim("export", "a.lenssession", "--to", "jsonl", "--out", out).status == 0)
            #expect(try files.destinationOfSymbolicLink(atPath: folder.file(out)).isEmpty == false)
        }
        let rights = try files.attributesOfItem(atPath: folder.file("private"))
        #expect(rights[.posixPermissions] as? Int == 0o600)
        let (one, other) = (
            try Data(contentsOf: URL(filePath: folder.file("private"))),
            try Data(contentsOf: URL(filePath: folder.file("later")))
        )
        #expect(one == other && one.count > 3)
    }

    @Test func `the files that a program found at its start are listed, and come out as they were`()
        async throws
    {
        let writer = try SessionWriter(path: folder.file("a.lenssession"), manifest: manifest(of: "kept"))
        writer.add(file: "phone/notes.txt", bytes: Array("three\0bytes".utf8))
        try writer.finish(SessionOutcome(steps: 1, nanoseconds: 1, hash: 0, failure: nil))
        #expect(
            try await lenssim("inspect", "a.lenssession").output.contains(
                "\nfile phone/notes.txt, 11 bytes\n"
            )
        )
        let out = try await lenssim("inspect", "a.lenssession", "--extract", "phone/notes.txt")
        #expect(out.status == 0 && out.output == "three\0bytes")
    }

    @Test func `nothing that is in a file moves the cursor or colours the terminal`() async throws {
        let escape = "\u{1b}[31m\r\u{9b}2J\u{202e}"
        let writer = try SessionWriter(
            path: folder.file("a.lenssession"),
            manifest: manifest(of: "evil\(escape)")
        )
        writer.add(file: "file\(escape)", bytes: [1])
        for kind in ["state", "kind\(escape)"] {
            writer.add(
                TraceEvent(
                    step: 1,
                    nanoseconds: 5,
                    node: "phone\(escape)",
                    kind: kind,
                    detail: "said\(escape)"
                )
            )
        }
        try writer.finish(SessionOutcome(steps: 1, nanoseconds: 9, hash: 0, failure: "failed\(escape)"))
        for arguments in [
            ["sessions"], ["inspect", "a.lenssession"], ["inspect", "a.lenssession", "e1"],
            ["inspect", "a.lenssession", "e2"],
        ] {
            let output = try await CommandLineRun.run(arguments, in: folder.path).output
            #expect(output.contains("evil") || output.contains("said"))
            #expect(
                !output.unicodeScalars.contains {
                    $0 != "\n" && ($0.value < 0x20 || (0x7f...0x9f).contains($0.value) || $0 == "\u{202e}")
                },
                "\(arguments)"
            )
        }
    }

    private func manifest(of scenario: String) -> SessionManifest {
        SessionManifest(
            scenario: scenario,
            fidelity: .simulated,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "test"
        )
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `a recording is followed while it is made, and ends with its recorder`(_ signal: Int32) async throws
    {
        let recorder = try CommandLineRun.start(
            ["demo", "--seconds", "60", "--state", "state", "--session", "a.lenssession"],
            in: folder.path
        )
        // It may be empty yet.
        while recorder.process.isRunning,
            !FileManager.default.fileExists(atPath: folder.file("a.lenssession"))
        {
            try await Task.sleep(for: .milliseconds(20))
        }
        let follower = try CommandLineRun.start(
            ["inspect", "a.lenssession", "--follow", "--only", "captures"],
            in: folder.path
        )
        // More than there were when it began.
        try await follower.waits(for: "\nc12 ")
        #expect(try await listed().map(\.ending) == ["being recorded"])
        kill(recorder.process.processIdentifier, signal)
        _ = try await recorder.finish()
        let run = try await follower.finish()
        #expect(run.status == 0, "\(run.errors)")
        let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("c") }
        let all = try await lenssim("inspect", "a.lenssession", "--only", "captures", "--limit", "0")
        #expect(rows == all.output.split(separator: "\n").filter { $0.hasPrefix("c") })
        #expect(try await listed().map(\.ending) != ["being recorded"])
    }
}
