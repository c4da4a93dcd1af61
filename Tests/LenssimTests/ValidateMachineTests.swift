import Foundation
import NetworkNamespaces
import SystemPrograms
import TestSupport
import Testing

/// `lenssim validate` on what this machine has: files, and its network.
@Suite("Suites against files and the network of this machine", .timeLimit(.minutes(10)))
struct ValidateMachineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Report: Decodable {
        struct Case: Decodable {
            var id: String
            var result: String
            var reason: String?
        }

        var implementation: String
        var skipped: String?
        var cases: [Case]

        func ids(_ result: String) -> Set<String> { Set(cases.filter { $0.result == result }.map(\.id)) }
    }

    private func conform(
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (run: CommandLineRun, report: Report) {
        let run = try await CommandLineRun.run(
            ["validate"] + arguments + ["--json"],
            in: folder.path,
            environment: environment
        )
        return (run, try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)))
    }

    /// What is in the folder, but for what the command has printed.
    private var left: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                !$0.hasSuffix(".out") && !$0.hasSuffix(".err")
            }
        }
    }

    @Test(arguments: [nil, "correct horse"])
    func `files of secrets are tried in a folder, which is removed with its key`(_ passphrase: String?)
        async throws
    {
        let (run, report) = try await conform(
            ["secrets", "--folder", "./kept"] + (passphrase == nil ? [] : ["--passphrase-from", "PHRASE"]),
            environment: passphrase.map { ["PHRASE": $0] } ?? [:]
        )
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(report.implementation == "./kept" && report.ids("failed").isEmpty)
        #expect(
            report.ids("passed").isSuperset(of: ["change.kept", "discretion.files", "change.together"])
        )
        #expect(report.ids("skipped") == ["trouble.readOnly", "trouble.reading", "trouble.changing"])
        if let passphrase { #expect(!run.output.contains(passphrase) && !run.errors.contains(passphrase)) }
        #expect(try left == [])
    }

    @Test func `of a folder that was there, only what was added is removed`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("kept"),
            withIntermediateDirectories: false
        )
        try folder.write([1], to: "kept/mine")
        let (run, _) = try await conform(["secrets", "--folder", "kept", "--without", "survives"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("kept")) == ["mine"])
    }

    @Test func `settings are tried in a new file, which is removed`() async throws {
        let (run, report) = try await conform(["preferences", "--file", "settings.sqlite"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(report.ids("passed").isSuperset(of: ["keep.reopened", "read.values", "together.whole"]))
        #expect(report.ids("skipped") == ["keep.crashed", "trouble.reading", "trouble.changing"])
        #expect(report.ids("failed").isEmpty)
        #expect(try left == [])
    }

    @Test(arguments: ["settings.sqlite", "settings.sqlite-journal"])
    func `a file that is there already is left alone`(_ name: String) async throws {
        try folder.write([1, 2, 3], to: name)
        let run = try await CommandLineRun.run(
            ["validate", "preferences", "--file", "settings.sqlite"],
            in: folder.path
        )
        #expect(run.status == 64 && run.errors.contains("\(name) already"), "\(run.errors)")
        #expect(try left == [name])
        #expect(FileManager.default.contents(atPath: folder.file(name)) == Data([1, 2, 3]))
    }

    @Test func `the network of this machine is looked at, and not changed`() async throws {
        // Links and routes by name and number; what is counted there changes by itself.
        func network() throws -> [String] {
            let links = try String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8).split(
                separator: "\n"
            )
            let routes = try String(contentsOfFile: "/proc/self/net/route", encoding: .utf8)
            return links.map { String($0.prefix { $0 != ":" }) } + [routes]
        }
        let before = try network()
        let (run, report) = try await conform(["network"])
        #expect(try network() == before)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(report.ids("failed").isEmpty)
        let skipped = report.cases.filter { $0.result == "skipped" }
        #expect(skipped.count >= 12 && skipped.allSatisfy { $0.reason?.isEmpty == false })
    }

    @Test(
        .enabled(
            if: NetworkNamespace.isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        )
    )
    func `in a network of its own routes come and go, the kernel's monitor says so, and nothing is left`()
        async throws
    {
        let script =
            "ip link set lo up && \"$0\" \"$@\" && ip -o link >&2 && test \"$(ip -o link | wc -l)\" = 1"
        let output = try await inNamespace(script)
        let report = try JSONDecoder().decode(Report.self, from: Data(output))
        #expect(report.implementation == "this machine" && report.ids("failed").isEmpty)
        #expect(report.ids("skipped") == ["end.later", "end.constant"], "\(report.cases)")
    }

    @Test(
        .enabled(
            if: NetworkNamespace.isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        )
    )
    func `routes are not changed in a network that may have users`() async throws {
        let links = """
            ip link set lo up; ip link add v0 type veth peer name v1; ip link set v0 up; ip address add 10.9.1.1/24 dev v0
            """
        let bare = "ip link set lo up; ip link add v5 type veth peer name v6"
        for preparation in [":", links, bare] {
            let error = await #expect(throws: ProgramError.self) {
                _ = try await inNamespace("\(preparation); exec \"$0\" \"$@\"")
            }
            #expect("\(error as Any)".contains("run it in a network of its own"), "\(error as Any)")
        }
    }

    /// Runs the suite of the network in a new one, after a preparation.
    private func inNamespace(_ script: String) async throws -> [UInt8] {
        let command = [CommandLineRun.program.path(), "validate", "network", "--change-network", "--json"]
        return try await SystemProgram("unshare", packages: ["util-linux"]).run(
            ["-r", "-n", "sh", "-c", script] + command,
            within: .seconds(120),
            outputLimit: 1 << 20
        )
    }

    @Test(
        arguments: [
            (["secrets"], "no folder was given"), (["preferences"], "no file was given"),
            (["secrets", "--folder", "kept", "--passphrase-from", "NO_PHRASE"], "NO_PHRASE is empty"),
        ]
    )
    func `what was not given is the reason of a skipped suite`(_ arguments: [String], _ reason: String)
        async throws
    {
        let (run, report) = try await conform(arguments)
        #expect(run.status == 0 && report.cases.isEmpty)
        #expect(report.skipped?.contains(reason) == true, "\(run.output)")
        #expect(try left == [])
    }

    @Test(
        arguments: [
            (["network", "--file", "a"], "--file is for preferences", Int32(64)),
            (["secrets", "--change-network"], "--change-network is for network", 64),
            (["network", "--passphrase-from", "A"], "--passphrase-from is for secrets", 64),
            (["preferences", "--file", "no/such/a.sqlite"], "no/such/a.sqlite", 74),
        ]
    )
    func `what cannot be meant is refused`(_ arguments: [String], _ message: String, _ status: Int32)
        async throws
    {
        let run = try await CommandLineRun.run(["validate"] + arguments, in: folder.path)
        #expect(run.status == status && run.errors.contains(message), "\(run.status) \(run.errors)")
    }
}
