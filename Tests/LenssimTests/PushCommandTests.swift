import Foundation
import TestSupport
import Testing

@Suite("The commands for push services", .timeLimit(.minutes(5)))
struct PushCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        (["serve", "push", "--constant-keys"], "--provider-key"),
        (["serve", "echo", "--topic", "a"], "for serve push"),
        (["receive", "http://127.0.0.1:1"], "ws://"),
        (["receive", "ws://127.0.0.1:1", "--count", "0"], "--count"),
    ])
    func `what does not fit is refused with its reason`(_ arguments: [String], _ words: String) async throws {
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test func `a key is made where there is none, and used where there is one`() async throws {
        let key = folder.file("key.pem")
        var written: [String] = []
        for _ in 0..<2 {
            let service = try CommandLineRun.start(
                ["serve", "push", "--json", "--provider-key", key],
                in: folder.path
            )
            try await service.waits(for: "deviceURL")
            written.append(try String(contentsOf: URL(filePath: key), encoding: .utf8))
            service.process.interrupt()
            _ = try await service.finish()
        }
        #expect(written[0] == written[1] && written[0].hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try folder.write(Array("no key".utf8), to: "other.pem")
        let run = try await CommandLineRun.run(
            ["serve", "push", "--provider-key", folder.file("other.pem")],
            in: folder.path
        )
        #expect(run.status == 65 && run.errors.contains("ES256") && !run.errors.contains("no key\n"))
    }

    @Test
    func
        `a device that gets nothing within its time ends with 66, and is the same one again with its folder`()
        async throws
    {
        let service = try CommandLineRun.start(["serve", "push", "--json"], in: folder.path)
        try await service.waits(for: "deviceURL")
        let facts = try #require(
            try JSONSerialization.jsonObject(with: Data(service.output().utf8)) as? [String: String]
        )
        let url = try #require(facts["deviceURL"])
        var tokens: [String] = []
        for _ in 0..<2 {
            let run = try await CommandLineRun.run(
                ["receive", url, "--seconds", "3", "--count", "1", "--data", folder.file("device")],
                in: folder.path
            )
            #expect(run.status == 66)
            tokens.append(run.output)
        }
        #expect(tokens[0] == tokens[1] && tokens[0].hasPrefix("token  "))
        service.process.interrupt()
        _ = try await service.finish()
    }
}
