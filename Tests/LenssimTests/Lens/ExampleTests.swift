import Foundation
import TestSupport
import Testing

/// Every command line that the documentation shows, run with little to do.
@Suite("Examples", .timeLimit(.minutes(30)))
struct ExampleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: [String]) async throws -> CommandLineRun {
        // Help is not broken into lines, so that an example is one.
        try await CommandLineRun.run(arguments, in: folder.path, environment: ["COLUMNS": "500"])
    }

    /// What the examples read: pictures, failures, sessions and parts of a sweep, by the names that they use.
    private func prepare(for commands: [DocumentedCommand]) async throws {
        let files = FileManager.default
        func path(_ name: String) -> String { folder.path + "/" + name }
        try files.copyItem(
            atPath: CommandLineRun.package.path + "/Fixtures/Images/folder",
            toPath: path("photos")
        )
        _ = try await lenssim(["explore", "double-refresh", "--failures", "found"])
        let failure = try #require(try files.contentsOfDirectory(atPath: path("found")).first)
        try files.createDirectory(atPath: path(".lenssim/failures"), withIntermediateDirectories: true)
        _ = try await lenssim(["run", "lens-upload", "--record", "session"])
        // What is exported has requests and pictures, and the files of an earlier run.
        _ = try await lenssim(["demo", "--seconds", "2", "--state", "made"])
        _ = try await lenssim(["demo", "--seconds", "4", "--state", "made", "--session", "demo.lenssession"])
        try files.copyItem(atPath: path("demo.lenssession"), toPath: path("report.lenssession"))
        _ = try await lenssim(["validate", "store", "--folder", "./tried", "--out", "folder.json"])
        for other in ["s3.json", "real.json"] {
            try files.copyItem(atPath: path("folder.json"), toPath: path(other))
        }
        try await KilledDemo.record(path("killed.lenssession"), in: folder.path)
        for part in 1...4 {
            let sweep = [
                "explore", "lens-upload", "--seeds", "1...4", "--keep-going", "--shard", "\(part)/4",
            ]
            _ = try await lenssim(sweep + ["--out", "part\(part).json"])
        }
        for word in Set(commands.flatMap(\.words)) where !files.fileExists(atPath: path(word)) {
            switch word {
            case _ where word.hasSuffix(".lenssession"):
                try files.copyItem(atPath: path("session"), toPath: path(word))
            case _
            where word.hasPrefix(".lenssim/failures/") || ["before.json", "after.json"].contains(word):
                try files.copyItem(atPath: path("found/\(failure)"), toPath: path(word))
            default: break
            }
        }
    }

    @Test func `every example of every help, the README and the page of commands does what it shows`()
        async throws
    {
        let help = try await lenssim(["--help"]).output
        let names = help.split(separator: "SUBCOMMANDS:")[1].split(separator: "\n")
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count >= 13)
        var texts = [help]
        let guides = ["CommandLine", "ReplayABug", "ValidateABackend"].map { "Documentation/\($0).md" }
        for page in ["README.md"] + guides {
            let file = CommandLineRun.package.appending(path: page)
            texts.append(try String(contentsOf: file, encoding: .utf8))
        }
        for name in names where name != "help" { texts.append(try await lenssim([name, "--help"]).output) }

        var commands: [DocumentedCommand] = []
        for command in texts.flatMap(DocumentedCommand.all) where !commands.contains(command) {
            commands.append(command)
        }
        #expect(commands.count >= 35)
        try await prepare(for: commands)
        // What keeps real time waits most of the time, and what measures takes seconds; the others run meanwhile.
        let lanes = Dictionary(grouping: commands) { command in
            switch command.words.first {
            case "demo": "demo"
            case "zoo", "bench": "measures"
            default: command.keepsRealTime ? "real time" : "rest"
            }
        }
        try await withThrowingTaskGroup { group in
            for lane in lanes.values { group.addTask { for command in lane { try await check(command) } } }
            try await group.waitForAll()
        }
    }

    @Test func `what the documentation shows of a search is what it prints`() async throws {
        let page = try String(
            contentsOf: CommandLineRun.package.appending(path: "Documentation/Exploring.md"),
            encoding: .utf8
        )
        let blocks = page.components(separatedBy: "```\n$ lenssim ").dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let lines = try #require(block.components(separatedBy: "\n```").first).components(
                separatedBy: "\n"
            )
            let words = lines[0].split(separator: " ").map(String.init)
            let printed = try await lenssim(words).output.components(separatedBy: "\n")
            // What follows has real times.
            #expect(Array(printed.prefix(lines.count - 1)) == Array(lines.dropFirst()))
        }
    }

    private func check(_ command: DocumentedCommand) async throws {
        // Some examples take a key from there; what they reach does not look at it.
        var environment = ["GEMINI_API_KEY": "example", "LENSSIM_WIFI_PASSWORD": "example0"]
        // No browser is found there.
        let opens = command.words.contains("--open")
        if opens { environment["PATH"] = folder.path }
        let started = try CommandLineRun.start(command.small, in: folder.path, environment: environment)
        if command.words.first == "serve" || opens {
            // For a program the first line is one object, and nothing else is said.
            try await started.waits(for: command.words.contains("--json") ? "}" : "Ctrl-C ends it")
            started.process.terminate()
        }
        let run = try await started.finish()
        if command.words.contains("--package") {
            // There is none here, which comes after the options; scripts/foreign-package has one.
            #expect(run.status == 66, "\(command): \(run.status) \(run.output)\(run.errors)")
            return #expect(run.errors.contains("it has no Package.swift"))
        }
        if command.words.contains("--speak"), !SpokenDemoTests.isInstalled {
            // SpokenDemoTests says what to install.
            return #expect(run.status == 69)
        }
        if command.words.first == "camera", !["list", "watch", "qr"].contains(command.words[1]),
            !FileManager.default.fileExists(atPath: "/sys/class/video4linux/video0")
        {
            // make test-v4l2 has cameras.
            return #expect(run.status == 66, "\(command): \(run.status) \(run.output)\(run.errors)")
        }
        if command.words.first == "browse" {
            // There may be none.
            return #expect([0, 66].contains(run.status), "\(command): \(run.status) \(run.errors)")
        }
        if command.words.first == "receive" {
            // Nothing arrives without a service, and not every machine has a desktop, with a D-Bus.
            let expected: Set<Int32> =
                command.words.contains("--desktop")
                ? [0, 71] : command.words.contains("--count") ? [66] : [0]
            return #expect(expected.contains(run.status), "\(command): \(run.status) \(run.errors)")
        }
        if command.words.contains("--announce"), run.errors.contains("no network interface is up") {
            // scripts/offline-tests runs this where there is none.
            return #expect(run.status == 69)
        }
        // Nobody listens where some examples expect a peer of their own.
        let expected: Set<Int32> =
            command.words.contains { $0.contains("127.0.0.1") } ? [0, 69] : [0, 1]
        #expect(expected.contains(run.status), "\(command): \(run.status) \(run.output)\(run.errors)")
    }
}

@Suite("Examples are read as a shell reads them")
struct DocumentedCommandTests {
    @Test func `comments and redirections are left out, and quotes keep words together`() {
        let text = """
            Examples:
              lenssim run a --recipe 'seed=7 decisions=3:1'
            $ lenssim explore b --seeds 1...1000     searches for failures
            lenssim zoo --markdown > Documentation/Zoo.md
            The words of lenssim in a sentence.
            """
        #expect(
            DocumentedCommand.all(in: text).map(\.words) == [
                ["run", "a", "--recipe", "seed=7 decisions=3:1"], ["explore", "b", "--seeds", "1...1000"],
                ["zoo", "--markdown"],
            ]
        )
    }
}
