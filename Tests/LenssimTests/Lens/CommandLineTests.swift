import Foundation
import TestSupport
import Testing

@Suite("The command line", .timeLimit(.minutes(10)))
struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> CommandLineRun
    {
        try await CommandLineRun.run(arguments, in: folder.path, environment: environment)
    }

    private func json(_ run: CommandLineRun) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test func `help has examples and exit codes`() async throws {
        let run = try await lenssim("--help")
        #expect(run.status == 0)
        #expect(run.output.contains("lenssim run lens-streaming --seeds 1...1000"))
        #expect(run.output.contains("\n  77   a key is refused"))
    }

    @Test func `seeds run in parallel, and the result is JSON for machines`() async throws {
        let run = try await lenssim(
            "run",
            "lens-streaming",
            "--seeds",
            "1...10",
            "--json",
            "--check-determinism"
        )
        let result = try json(run)
        #expect(run.status == 0)
        #expect(result["passed"] as? Int == 10)
        #expect((result["failures"] as? [Any])?.isEmpty == true)
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `the same seed gives the same hash in another process`() async throws {
        let hashes = try await [
            json(lenssim("run", "lens-streaming", "--seed", "12", "--json"))["hash"] as? String,
            json(lenssim("run", "lens-streaming", "--seed", "12", "--json"))["hash"] as? String,
        ]
        #expect(hashes[0] != nil)
        #expect(hashes[0] == hashes[1])
    }

    @Test func `a setting may stand before the scenario, have its value attached, and be switched off`()
        async throws
    {
        let lines = [
            ["run", "lens-farewells", "--seconds", "5", "--no-prepared", "--json"],
            ["run", "--seconds=5", "--no-prepared", "lens-farewells", "--json"],
            ["run", "--seconds", "5", "--json", "lens-farewells", "--no-prepared"],
            ["run", "lens-farewells", "--seconds", "5", "--json"],
        ]
        var hashes: [String?] = []
        for line in lines {
            hashes.append(try await json(CommandLineRun.run(line, in: folder.path))["hash"] as? String)
        }
        #expect(hashes[0] != nil)
        #expect(hashes[1] == hashes[0] && hashes[2] == hashes[0])
        // Its pictures are prepared unless somebody says otherwise, and drawn ones take other steps.
        #expect(hashes[3] != hashes[0])
    }

    @Test(arguments: [
        ["run", "no-such-scenario"], ["run", "lens-upload", "--seconds", "5"],
        ["run", "lens-streaming", "--seconds", "0"], ["run", "lens-streaming", "--seconds"],
        ["run", "lens-streaming", "--prepared=1"], ["run", "lens-streaming", "lens-upload"],
        ["run", "lens-streaming", "--seeds", "9...1"],
        ["demo", "--seconds", "0"],
        ["demo", "--model", ""],
        ["demo", "--model", "two words"],
        ["run", "lens-upload", "--fidelity", "loopback"], ["serve", "nobody"],
    ])
    func `wrong usage exits with 64 and says what is known`(arguments: [String]) async throws {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64)
        #expect(!run.errors.isEmpty)
    }

    @Test("LENS-255 a session is replayed; a missing or foreign file has its own error and code")
    func replay() async throws {
        #expect(
            try await lenssim("run", "lens-streaming", "--seed", "3", "--record", "a.lenssession").status == 0
        )
        let run = try await lenssim("replay", "a.lenssession", "--json")
        #expect(run.status == 0)
        #expect(try json(run)["same"] as? Bool == true)
        let missing = try await lenssim("replay", "nothing.lenssession")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("nothing.lenssession"))
        try Data("garbage".utf8).write(to: URL(filePath: folder.path + "/garbage"))
        let garbage = try await lenssim("replay", "garbage")
        #expect(garbage.status == 65)
        #expect(garbage.errors.contains("is not a LensSim recording"))
    }

    @Test func `a second demonstration with the same seed runs in the folder of the first`()
        async throws
    {
        for _ in 0..<2 {
            let run = try await lenssim("demo", "--seconds", "1", "--seed", "3", "--json")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try json(run)["replaySame"] as? Bool == true)
        }
    }

    @Test func `a wrong key exits with 77, says what to do, and appears nowhere`() async throws {
        let key = "wrong-key-4711"
        let served = try CommandLineRun.start(["serve", "gemini"], in: folder.path)
        let address = try await served.address()
        defer { served.process.interrupt() }
        let run = try await lenssim(
            "demo",
            "--seconds",
            "2",
            "--gemini",
            address,
            environment: ["GEMINI_API_KEY": key]
        )
        #expect(run.status == 77)
        #expect(run.errors.contains("invalidKey"))
        #expect(run.errors.contains("Set a valid key"))
        #expect(!run.errors.contains(key) && !run.output.contains(key))
        let session = try Data(contentsOf: URL(filePath: folder.path + "/.lenssim/demo/demo.lenssession"))
        #expect(session.range(of: Data(key.utf8)) == nil)
    }

    @Test
    func
        `a photo that a store refuses is kept, its reason decides the exit code, and the next run uploads it there, and nowhere else`()
        async throws
    {
        let key = "wrong-key-4712"
        let served = try CommandLineRun.start(["serve", "supabase"], in: folder.path)
        let address = try await served.address()
        try await served.waits(for: "service key")
        defer { served.process.interrupt() }
        let refused = try await lenssim(
            "demo",
            "--seconds",
            "2",
            "--endpoint",
            address,
            environment: ["SUPABASE_KEY": key]
        )
        #expect(refused.status == 77)
        #expect(refused.errors.contains("Start the app with the address and the key of the storage"))
        #expect(!refused.errors.contains(key) && !refused.output.contains(key))
        // Keys that are meant for others are not used for the demonstration's own services.
        let own = try await lenssim(
            "demo",
            "--seconds",
            "2",
            "--json",
            environment: ["SUPABASE_KEY": key, "GEMINI_API_KEY": key]
        )
        #expect(own.status == 0, "\(own.errors)")
        let result = try json(own)
        #expect((result["uploaded"] as? [String])?.count == 1)
        #expect((result["waiting"] as? [String])?.isEmpty == true)
        let accepted = try await lenssim(
            "demo",
            "--seconds",
            "2",
            "--json",
            "--endpoint",
            address,
            environment: ["SUPABASE_KEY": try #require(served.value(after: "anon key"))]
        )
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect((try json(accepted)["uploaded"] as? [String])?.count == 2)
        let nowhere = try await lenssim("demo", "--seconds", "2", "--endpoint", "http://127.0.0.1:1")
        #expect(nowhere.status == 69)
        #expect(try await lenssim("demo", "--endpoint", "not a url").status == 64)
    }

    @Test func `a refused connection exits with 69 and names the address`() async throws {
        let run = try await lenssim("demo", "--seconds", "2", "--gemini", "ws://127.0.0.1:1")
        #expect(run.status == 69)
        #expect(run.errors.contains("127.0.0.1:1"))
    }

    @Test func `a demonstration asks the model that is named, also when it is replayed`() async throws {
        let served = try CommandLineRun.start(["serve", "gemini"], in: folder.path)
        let address = try await served.address()
        defer { served.process.interrupt() }
        let key = try #require(served.value(after: "key"))
        func demo(_ model: String) async throws -> CommandLineRun {
            try await lenssim(
                "demo",
                "--seconds",
                "2",
                "--json",
                "--gemini",
                address,
                "--model",
                model,
                environment: ["GEMINI_API_KEY": key]
            )
        }
        let known = try await demo("gemini-2.0-flash-live-001")
        #expect(known.status == 0, "\(known.errors)")
        let replayed = try await lenssim("replay", ".lenssim/demo/demo.lenssession")
        #expect(replayed.status == 0, "\(replayed.errors)")
        let unknown = try await demo("no-such-model")
        #expect(
            unknown.status != 0 && unknown.errors.contains("models/no-such-model is not found"),
            "\(unknown.errors)"
        )
    }

    @Test func `a missing folder exits with 66, a state that cannot be written with 74`() async throws {
        let missing = try await lenssim("demo", "--input", "/no/such/folder")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("/no/such/folder"))
        let unwritable = try await lenssim("demo", "--seconds", "2", "--state", "/dev/null/state")
        #expect(unwritable.status == 74)
        #expect(unwritable.errors.contains("/dev/null/state"))
    }

    @Test func `broken pictures are reported by name and skipped`() async throws {
        let fixtures = CommandLineRun.program.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Images/folder")
        try FileManager.default.copyItem(at: fixtures, to: URL(filePath: folder.path + "/photos"))
        let run = try await lenssim("demo", "--input", "photos", "--seconds", "2")
        #expect(run.status == 0)
        for name in [
            "broken-cmyk.jpg", "broken-empty.jpg", "broken-text.jpg", "broken-truncated.jpg",
            "broken-wide.jpg",
            "notes.txt",
        ] {
            #expect(run.output.contains("skipped \(name)"))
        }
        #expect(run.output.contains("the same"))
        let onlyBad = folder.path + "/bad"
        try FileManager.default.createDirectory(atPath: onlyBad, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: onlyBad + "/zero.jpg"))
        #expect(try await lenssim("demo", "--input", "bad").status == 65)
    }

    @Test func `Ctrl-C ends a demonstration cleanly, and its session can be replayed`() async throws {
        let started = try CommandLineRun.start(["demo", "--seconds", "60"], in: folder.path)
        try await started.waits(for: "assistant")
        started.process.interrupt()
        let run = try await started.finish()
        #expect(run.status == 130)
        #expect(run.output.contains("frames sent"))
        #expect(try await lenssim("replay", ".lenssim/demo/demo.lenssession").status == 0)
    }

    @Test(
        "LENS-162 LENS-172 a demonstration that is killed loses no photo and stores none twice",
        arguments: 0..<4
    )
    func killed(turn: Int) async throws {
        for attempt in 0..<3 {
            let started = try CommandLineRun.start(["demo", "--seconds", "2"], in: folder.path)
            // The photo is taken after a second; kills strike around its capture and its upload.
            try await started.waits(for: attempt == 0 ? "streaming" : "captured")
            if attempt == 0 { try await Task.sleep(for: .milliseconds(960 + 25 * turn)) }
            kill(started.process.processIdentifier, SIGKILL)
            _ = try await started.finish()
        }
        let last = try await lenssim("demo", "--seconds", "2", "--json")
        #expect(last.status == 0)
        #expect(try (json(last)["waiting"] as? [String])?.isEmpty == true)
        let photos = try FileManager.default.contentsOfDirectory(
            atPath: folder.path + "/.lenssim/demo/phone/Documents"
        ).filter { $0.hasPrefix("photo_") && $0.hasSuffix(".jpg") }
        let rows = try FileManager.default.contentsOfDirectory(
            atPath: folder.path + "/.lenssim/demo/store/rows"
        )
        .filter { $0.hasSuffix(".json") }
        #expect(photos.count >= 3)
        #expect(rows.count == photos.count)
    }
}
