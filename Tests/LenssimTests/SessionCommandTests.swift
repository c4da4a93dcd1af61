import Foundation
import Testing

@Suite("Session files on the command line", .timeLimit(.minutes(3)))
struct SessionCommandTests {
    private let folder = TemporaryFolder()

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    @Test func `a folder is never taken for the place of a session`() async throws {
        let precious = folder.path + "/precious"
        try FileManager.default.createDirectory(atPath: precious, withIntermediateDirectories: true)
        try Data("thesis".utf8).write(to: URL(filePath: precious + "/thesis.txt"))
        let run = try await lenssim("run", "lens-streaming", "--seed", "7", "--record", "precious")
        #expect(run.status == 74)
        #expect(run.errors.contains("precious is a folder, and stays as it is"))
        #expect(FileManager.default.fileExists(atPath: precious + "/thesis.txt"))
    }

    @Test func `a second demonstration in one state folder is refused, and harms the first in nothing`()
        async throws
    {
        let first = try CommandLineRun.start(["demo", "--seconds", "60"], in: folder.path)
        try await first.waits(for: "streaming")
        let second = try await lenssim("demo", "--seconds", "2")
        #expect(second.status == 74)
        #expect(second.errors.contains("another one runs there"))
        first.process.interrupt()
        #expect(try await first.finish().status == 130)
        #expect(try await lenssim("replay", ".lenssim/demo/demo.lenssession").status == 0)
    }

    @Test func `a password in an address is neither shown nor kept`() async throws {
        let run = try CommandLineRun.start(
            ["demo", "--seconds", "60", "--supabase", "http://user:pass-word@127.0.0.1:1"],
            in: folder.path
        )
        try await run.waits(for: "streaming")
        run.process.interrupt()
        let ended = try await run.finish()
        #expect(ended.output.contains("Supabase  http://127.0.0.1:1\n"))
        #expect(!ended.output.contains("pass-word") && !ended.errors.contains("pass-word"))
        let session = try Data(contentsOf: URL(filePath: folder.path + "/.lenssim/demo/demo.lenssession"))
        #expect(session.range(of: Data("pass-word".utf8)) == nil)
    }
}
