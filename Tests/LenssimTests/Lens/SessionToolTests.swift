import Foundation
import TestSupport
import Testing

@Suite("Recordings on the command line", .timeLimit(.minutes(10)))
struct SessionToolTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    /// Records a demonstration of a second and a half.
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
        #expect(lines[3].hasPrefix("m1          0.000  websocket 0        → GET ws://127.0.0.1:"))
        #expect(lines.count == 15 && lines[13].hasPrefix("… ") && lines[13].contains(" more: --limit 0"))

        let frames = try await lenssim(
            "inspect",
            "a.lenssession",
            "--only",
            "captures",
            "--from",
            "1s",
            "--until",
            "2s"
        )
        let rows = frames.output.split(separator: "\n").dropFirst(2)
        #expect(
            (4...6).contains(rows.count) && rows.allSatisfy { $0.contains("camera               frame ") }
        )
        let http = try await lenssim("inspect", "a.lenssession", "--only", "http")
        #expect(http.output.contains("→ POST http://127.0.0.1:"))
        #expect(http.output.contains("← 200 "))
        #expect(!http.output.contains("websocket 0 "))
        let found = try await lenssim("inspect", "a.lenssession", "--containing", #""capturePhoto""#)
        #expect(found.output.split(separator: "\n").count == 3)
        #expect(found.output.contains("screen camera      ● action, 19 bytes {\"capturePhoto\":{}}"))

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
        for (arguments, status, words) in [
            (["inspect", "b.lenssession"], 66, "b.lenssession"),
            (["inspect", "a.lenssession", "m99999"], 64, "The recording has no m99999"),
            (["inspect", "a.lenssession", "57"], 64, "57"),
            (["inspect", "a.lenssession", "m1", "--follow"], 64, "One entry is shown whole"),
            (["inspect", "a.lenssession", "--only", "http,captors"], 64, "http,captors"),
            (["inspect", "a.lenssession", "--from", "3s", "--until", "2s"], 64, "later than --until"),
            (["inspect", "a.lenssession", "--limit=-1"], 64, "0 shows all"),
            (["export", "a.lenssession", "--to", "pcap"], 64, "pcap"),
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

    @Test func `a recording is followed while it is made, and ends with it`() async throws {
        let recorder = try CommandLineRun.start(
            ["demo", "--seconds", "60", "--state", "state", "--session", "a.lenssession"],
            in: folder.path
        )
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
        recorder.process.interrupt()
        _ = try await recorder.finish()
        let run = try await follower.finish()
        #expect(run.status == 0)
        let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("c") }
        let all = try await lenssim("inspect", "a.lenssession", "--only", "captures", "--limit", "0")
        #expect(rows == all.output.split(separator: "\n").filter { $0.hasPrefix("c") })
    }
}
