import Foundation
import TestSupport
import Testing

/// On the loopback alone, with types that nobody else has.
@Suite("The commands for services of the local network", .timeLimit(.minutes(5)))
struct DiscoveryCommandTests {
    private let folder: TemporaryFolder
    private let type = "_t\(String(UInt32.random(in: 0 ... .max), radix: 36))._tcp"

    init() throws { folder = try TemporaryFolder() }

    private func start(_ arguments: String...) throws -> CommandLineRun.Started {
        try CommandLineRun.start(arguments + ["--interface", "lo"], in: folder.path)
    }

    @Test func `what is advertised is found with all it says, and lost when the command is interrupted`()
        async throws
    {
        let browse = try start("browse", type, "--json", "--seconds", "120")
        let advertise = try start(
            "advertise",
            "My Hub",
            type,
            "8080",
            "--txt",
            "id=7",
            "--txt",
            "flag",
            "--host",
            "hub-\(type.dropFirst(2).prefix(6))"
        )
        try await advertise.waits(for: "published  My Hub")
        try await browse.waits(for: #""change":"found""#)
        let line = try #require(browse.output().split(separator: "\n").first)
        let said = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(said["name"] as? String == "My Hub")
        #expect(said["attributes"] as? [String: String] == ["id": "7", "flag": ""])
        let ways = try #require(said["ways"] as? [[String: Any]])
        #expect(ways.contains { $0["address"] as? String == "127.0.0.1" && $0["port"] as? Int == 8080 })
        advertise.process.interrupt()
        #expect(try await advertise.finish().status == 130)
        try await browse.waits(for: #""change":"gone""#)
        browse.process.interrupt()
        let run = try await browse.finish()
        #expect(run.status == 130)
        #expect(run.output.contains(#""change":"gone""#))
    }

    @Test func `nothing found within the time is exit code 66`() async throws {
        let run = try await start("browse", type, "--seconds", "1").finish()
        #expect(run.status == 66 && run.output.isEmpty)
    }

    @Test func `an interface that is not there is exit code 69, with the reason`() async throws {
        let arguments = ["browse", type, "--seconds", "1", "--interface", "none0"]
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 69)
        #expect(run.errors.contains("no network interface is up"))
    }

    @Test(arguments: [
        (["browse", "http"], Int32(64), "no type of a service"),
        (["browse", "_http._tcp", "--seconds", "0"], 64, "--seconds must be 1 to 86400"),
        (["advertise", "A", "_http._tcp", "0"], 65, "a port is 1…65535"),
        (["advertise", "", "_http._tcp", "80"], 65, "a name has 1…63"),
    ])
    func `what cannot be used is refused`(_ arguments: [String], _ status: Int32, _ words: String)
        async throws
    {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == status)
        #expect(run.errors.contains(words), "\(run.errors)")
    }
}
