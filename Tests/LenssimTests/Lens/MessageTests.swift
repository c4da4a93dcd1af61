import Foundation
import TestSupport
import Testing

/// What is said when something cannot be done, and the code that goes with it.
@Suite("Messages", .timeLimit(.minutes(5)))
struct MessageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String..., launcher: [String] = []) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path, launcher: launcher)
    }

    /// Runs without the superuser's right to read and write everything.
    private var restricted: [String] {
        geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
    }

    @Test(arguments: [
        (
            ["explore", "double-refesh"],
            "There is no scenario “double-refesh”. Did you mean “double-refresh”?"
        ),
        (["run", "lens-uplaod"], "Did you mean “lens-upload”?"),
        (["report", "Lens-Streaming-", "--html", "a.html"], "Did you mean “lens-streaming”?"),
        (["determinism", "lost-updat"], "Did you mean “lost-update”?"),
        (["exlpore", "lost-update"], "There is no command “exlpore”. Did you mean “explore”?"),
        (["help", "explor"], "There is no command “explor”. Did you mean “explore”?"),
        (
            ["run", "lens-upload", "--sede", "4"],
            "lens-upload has no option “--sede”. Did you mean “--seed”?"
        ),
        (
            ["run", "lens-cameras", "--szie", "4"],
            "lens-cameras has no option “--szie”. Did you mean “--size”?"
        ),
        (["run", "lost-update", "--sede", "4"], "There is no option “--sede”. Did you mean “--seed”?"),
        (
            ["run", "lens-upload", "--recipe", "seed=7 strategy=pctt"],
            "“strategy=pctt” is no part of a recipe. Did you mean “pct”?"
        ),
    ])
    func `a mistyped name is answered with the one that was meant`(
        _ arguments: [String],
        _ words: String
    ) async throws {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64)
        #expect(run.errors.contains(words), "\(run.errors)")
        // The usage of lenssim itself says nothing about a command's argument.
        #expect(!run.errors.contains("no scenario") || !run.errors.contains("Usage:"), "\(run.errors)")
    }

    /// Runs where the machine has no certificates, in a mount namespace of its own (mount_namespaces(7)).
    private static let bare = [
        "/usr/bin/unshare", "-r", "-m", "/bin/sh", "-c", "mount -t tmpfs none /etc/ssl && exec \"$@\"",
        "sh",
    ]

    /// Whether this machine lets its users have such a namespace, and has the program for it.
    private static let isBarePossible = CommandLineRun.isPossible(by: bare)

    @Test(
        .enabled(
            if: isBarePossible,
            "needs unshare (apt-get install util-linux) and the right to make a mount namespace"
        )
    )
    func `the demonstration needs no certificates of the machine`() async throws {
        let run = try await lenssim("demo", "--seconds", "1", launcher: Self.bare)
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `a name that is like none is answered without a guess`() async throws {
        let run = try await lenssim("explore", "something-else-entirely")
        #expect(run.status == 64)
        #expect(run.errors.contains("lenssim scenarios lists them"), "\(run.errors)")
        #expect(!run.errors.contains("Did you mean"), "\(run.errors)")
    }

    @Test func `certificates that are missing, are none, or may not be read have codes of their own`()
        async throws
    {
        let serve = ["serve", "gemini", "--certificate", "chain.pem", "--private-key", "key.pem"]
        let missing = try await CommandLineRun.run(serve, in: folder.path)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("there is no file chain.pem"), "\(missing.errors)")
        for name in ["chain.pem", "key.pem"] {
            try Data("nothing".utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        let wrong = try await CommandLineRun.run(serve, in: folder.path)
        #expect(wrong.status == 65)
        #expect(wrong.errors.contains("chain.pem"), "\(wrong.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path + "/key.pem")
        let locked = try await CommandLineRun.run(serve, in: folder.path, launcher: restricted)
        #expect(locked.status == 77)
        #expect(locked.errors.contains("key.pem cannot be read: Permission denied"), "\(locked.errors)")
    }

    @Test func `a place that may not be written has the same code in every command`() async throws {
        let locked = folder.path + "/locked"
        try FileManager.default.createDirectory(
            atPath: locked,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o555]
        )
        for arguments in [
            ["demo", "--seconds", "2", "--state", "locked/state"],
            ["run", "lens-upload", "--record", "locked/a.lenssession"],
            [
                "explore", "lost-update", "--seeds", "1...2", "--keep-going", "--no-shrink", "--out",
                "locked/a.json",
            ],
            ["report", "lost-update", "--html", "locked/a.html"],
        ] {
            let run = try await CommandLineRun.run(arguments, in: folder.path, launcher: restricted)
            #expect(run.status == 77, "\(arguments): \(run.output)\(run.errors)")
            #expect(run.errors.contains("locked"), "\(run.errors)")
        }
    }

    @Test func `an address that cannot be used is named with the reason and what to do`() async throws {
        let first = try CommandLineRun.start(["serve", "gemini"], in: folder.path)
        let port = try #require(try await first.address().split(separator: ":").last.map(String.init))
        let second = try await lenssim("serve", "gemini", "--port", port)
        #expect(second.status == 69)
        #expect(second.errors.contains("127.0.0.1:\(port)"), "\(second.errors)")
        #expect(second.errors.contains("Address already in use. Choose another --port"), "\(second.errors)")
        first.process.terminate()
        _ = try await first.finish()

        let remote = try await lenssim("serve", "gemini", "--host", "0.0.0.0")
        #expect(remote.status == 64)
        #expect(
            remote.errors.contains("Other machines can reach 0.0.0.0: add --allow-remote"),
            "\(remote.errors)"
        )
        let unknown = try await lenssim("serve", "gemini", "--host", "no-such-host.invalid")
        #expect(unknown.status == 69)
        #expect(unknown.errors.contains("the host name could not be resolved"), "\(unknown.errors)")
    }

    @Test func `an unknown action of a plan is answered with those that there are`() async throws {
        try Data("version: 1\nevents: [{at: 1, do: explode}]\n".utf8).write(
            to: URL(filePath: folder.path + "/plan.yaml")
        )
        let run = try await lenssim("explore", "lens-upload", "--plan", "plan.yaml")
        #expect(run.status == 64)
        #expect(
            run.errors.contains("there is no action “explode”; known are crash, power off"),
            "\(run.errors)"
        )
    }

    @Test func `a program of the zoo runs from the seeds at which a search has found its failure`()
        async throws
    {
        let found = try await lenssim("explore", "double-refresh", "--no-shrink")
        let line = try #require(found.output.split(separator: "\n").first { $0.hasPrefix("  seeds ") })
        // What the seeds are worth nothing without.
        #expect(line.hasSuffix(" (--strategy portfolio)"), "\(line)")
        let seed = try #require(line.split(separator: " ").dropFirst().first.map(String.init))
        let strategy = ["--strategy", "portfolio"]
        let failed = try await CommandLineRun.run(
            ["run", "double-refresh", "--seeds", "1...\(seed)"] + strategy,
            in: folder.path
        )
        #expect(failed.status == 1)
        #expect(
            failed.output.contains("✘ seed \(seed): the refresh token was used twice"),
            "\(failed.output)"
        )
        let again = try await CommandLineRun.run(
            ["run", "double-refresh", "--seed", seed] + strategy,
            in: folder.path
        )
        #expect(again.status == 1)
        #expect(again.output.contains("the refresh token was used twice"), "\(again.output)")
        #expect(try await lenssim("run", "double-refresh-fixed", "--seeds", "1...\(seed)").status == 0)
        let settings = try await lenssim("run", "double-refresh", "--seconds", "5")
        #expect(settings.status == 64)
        #expect(settings.errors.contains("--seconds is for scenarios of an app"), "\(settings.errors)")
    }

    @Test func `what a failed run did is counted too`() async throws {
        let run = try await lenssim("run", "lens-drop-resumes", "--seconds", "1", "--seed", "1")
        #expect(run.status == 1)
        let footer = try #require(run.output.split(separator: "\n").last)
        let steps = try #require(
            footer.firstMatch(of: /; ([0-9 ]+) steps, [1-9][0-9]* virtual seconds in/)?.1
        )
        #expect(run.output.contains("step \(steps)"), "\(run.output)")
    }
}
