import Foundation
import LiveTransport
import PPPP
import Services
import TestSupport
import Testing
import Transport
import VeepaCamera

@Suite("Serving a Wi-Fi camera", .timeLimit(.minutes(5)))
struct ServedCameraTests {
    private struct Facts: Decodable {
        var service: String
        var deviceID: String
        var user: String
        var password: String
        var dialect: String
        var port: Int
    }

    /// The search of each dialect's client, and the answer's first bytes: obfuscated with the key “camera” or “vstarcam2019”, or clear.
    @Test(
        arguments: [
            ("cgi", [0xE4, 0x3B, 0x43, 0x22], "VSTK"), ("json", [0x2C, 0xBA, 0x5F, 0x5D], "DGOK"),
            ("binary", [0xF1, 0x30, 0, 0], "BATC"),
        ] as [(String, [UInt8], String)]
    )
    func `a camera is found at the port that its first line names`(
        dialect: String,
        search: [UInt8],
        prefix: String
    ) async throws {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            ["serve", "camera", "--dialect", dialect, "--json"],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(Facts.self, from: Data(started.output().utf8))
        #expect(facts.service == "camera" && facts.dialect == dialect)
        #expect(
            facts.deviceID == "\(prefix)-123456-ABCDE" && facts.user == "admin" && facts.password.count == 16
        )
        let client = try LiveTransport()
        let socket = try await client.bind(.loopback())
        try await socket.send(search, to: Endpoint(.loopbackV4, port: facts.port))
        let answer = try await socket.receive()
        #expect(answer.source.port == facts.port && answer.bytes.count == 24)
        #expect(answer.bytes[0] == search[0])
        if dialect == "binary" {
            #expect(Array(answer.bytes.prefix(8)) == [0xF1, 0x41, 0, 0x14] + Array(prefix.utf8))
        }
        await socket.close()
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }

    private struct RelayFacts: Decodable {
        var deviceID: String
        var user: String
        var password: String
        var directory: String
        var directoryPort: Int
    }

    @Test(arguments: ["cgi", "json", "binary"])
    func `with --relay a camera streams through the directory that its first line names`(dialect: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            ["serve", "camera", "--relay", "--dialect", dialect, "--json"],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode(RelayFacts.self, from: Data(started.output().utf8))
        var options = VeepaOptions()
        options.localAddress = .loopback()
        options.searchTargets = []
        options.directoryPort = facts.directoryPort
        let credentials = VeepaCredentials(
            id: try #require(DeviceID(facts.deviceID)),
            user: facts.user,
            password: Secret(facts.password),
            service: ServiceParameter(facts.directory)
        )
        let client = try LiveTransport()
        let camera = VeepaCamera(network: client, options: options) { credentials }
        try await camera.connect()
        let frames = camera.frames(limit: 8)
        for _ in 0..<3 { #expect(await frames.next() != nil) }
        await camera.disconnect()
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }

    @Test(
        arguments: [
            ["--tls"], ["--dialect", "morse"], ["--script", "x.yaml"], ["--data", "x"],
            ["--relay", "--allow-remote"],
        ]
    )
    func `what a camera does not have is refused`(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(["serve", "camera"] + options, in: folder.path)
        #expect(run.status == 64)
    }

    @Test func `a relay is for cameras alone`() async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(["serve", "echo", "--relay"], in: folder.path)
        #expect(run.status == 64 && run.errors.contains("--relay is for serve camera"))
    }

    @Test func `a dialect is for cameras alone`() async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(["serve", "echo", "--dialect", "cgi"], in: folder.path)
        #expect(run.status == 64 && run.errors.contains("--dialect is for serve camera"))
    }
}
