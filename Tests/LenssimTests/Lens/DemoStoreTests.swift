import Foundation
import TestSupport
import Testing

/// Demonstrations that upload elsewhere than to a Supabase of their own.
@Suite("Stores of a demonstration", .timeLimit(.minutes(10)))
struct DemoStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path, environment: environment)
    }

    /// Where the photos of a run have come to, which is replayed.
    private func uploads(of run: CommandLineRun) async throws -> [URL] {
        #expect(run.status == 0, "\(run.errors)")
        let result = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        #expect((result?["waiting"] as? [String])?.isEmpty == true)
        let replayed = try await lenssim("replay", ".lenssim/demo/demo.lenssession")
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        return try #require(result?["uploaded"] as? [String]).compactMap { URL(string: $0) }
    }

    @Test(
        "photos go to a folder as files, in each run, and a replay leaves it as it is",
        arguments: [("folder", ".lenssim/demo/objects"), ("folder:kept photos", "kept photos")]
    )
    func folders(store: String, path: String) async throws {
        for _ in 0..<2 {
            let run = try await lenssim("demo", "--seconds", "2", "--json", "--store", store)
            let address = try #require(try await uploads(of: run).first)
            #expect(address.isFileURL && address.path.contains("/\(path)/"))
            #expect(try Data(contentsOf: address).starts(with: [0xFF, 0xD8]))
        }
        let photos = folder.path + "/\(path)/photos.d"
        #expect(try FileManager.default.contentsOfDirectory(atPath: photos).count == 2)
        try FileManager.default.removeItem(atPath: photos)
        #expect(try await lenssim("replay", ".lenssim/demo/demo.lenssession").status == 0)
        #expect(!FileManager.default.fileExists(atPath: photos))
    }

    @Test func `photos go to an S3 of the demonstration's own, which keeps them`() async throws {
        for _ in 0..<2 {
            let run = try await lenssim("demo", "--seconds", "2", "--json", "--store", "s3")
            let addresses = try await uploads(of: run)
            #expect(addresses.count == 1 && addresses[0].path.hasPrefix("/media/photos/"))
        }
        let kept = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/.lenssim/demo/s3")
        #expect(kept.count { $0.hasSuffix(".json") } >= 2, "\(kept)")
    }

    @Test func `photos go to an S3 that is up already, whose key is nowhere`() async throws {
        let served = try CommandLineRun.start(["serve", "s3"], in: folder.path)
        let address = try await served.address()
        try await served.waits(for: "secret key")
        defer { served.process.interrupt() }
        let key = try #require(served.value(after: "secret key"))
        func demo(_ key: String) async throws -> CommandLineRun {
            let accessKey = try #require(served.value(after: "access key"))
            return try await lenssim(
                "demo",
                "--seconds",
                "2",
                "--json",
                "--store",
                "s3",
                "--endpoint",
                address,
                "--access-key",
                accessKey,
                "--store-key-from",
                "KEY_OF_THE_TEST",
                environment: ["KEY_OF_THE_TEST": key]
            )
        }
        let refused = try await demo("wrong-key-of-forty-characters-and-no-more")
        #expect(refused.status == 77, "\(refused.errors)")
        // That photo, too.
        let accepted = try await demo(key)
        let addresses = try await uploads(of: accepted)
        #expect(addresses.count == 2 && addresses.allSatisfy { $0.absoluteString.hasPrefix(address) })
        let session = try Data(contentsOf: folder.url.appending(path: ".lenssim/demo/demo.lenssession"))
        #expect(session.range(of: Data(key.utf8)) == nil)
        #expect(!accepted.output.contains(key) && !accepted.errors.contains(key))
    }

    @Test func `a folder that cannot be written exits with 74 and names it`() async throws {
        let run = try await lenssim("demo", "--seconds", "2", "--store", "folder:/dev/null/kept")
        #expect(run.status == 74)
        #expect(run.errors.contains("/dev/null/kept"))
    }

    @Test(arguments: [
        ["--store", "elsewhere"], ["--store", "folder:"],
        ["--store", "folder", "--endpoint", "http://127.0.0.1:1"],
        ["--store", "s3", "--endpoint", "http://127.0.0.1:1"], ["--store", "s3", "--access-key", "a"],
        ["--endpoint", "http://127.0.0.1:1", "--access-key", "a"], ["--store-key-from", "KEY"],
        ["--endpoint", "http://127.0.0.1:1", "--store-key-from", "NO_SUCH_VARIABLE"],
    ])
    func `a store that cannot be meant is wrong usage`(options: [String]) async throws {
        let run = try await CommandLineRun.run(["demo", "--seconds", "2"] + options, in: folder.path)
        #expect(run.status == 64)
        #expect(!run.errors.isEmpty)
    }
}
