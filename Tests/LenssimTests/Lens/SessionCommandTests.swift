import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Session files on the command line", .timeLimit(.minutes(10)))
struct SessionCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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
            ["demo", "--seconds", "60", "--endpoint", "http://user:pass-word@127.0.0.1:1"],
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

    @Test(arguments: [("nan", 64), ("1e30", 64), ("0s", 64), ("-1", 64), ("12s", 0), ("1.5", 0), ("2m", 0)])
    func `the time at which a replay ends is a length of time, and anything else is wrong usage`(
        until: String,
        status: Int32
    ) async throws {
        let arguments = ["run", "lens-streaming", "--seconds", "2", "--record", "a.lenssession"]
        #expect(try await CommandLineRun.run(arguments, in: folder.path).status == 0)
        let run = try await lenssim("replay", "a.lenssession", "--until=\(until)")
        #expect(run.status == status)
        #expect(run.errors.contains("--until") == (status == 64))
    }

    @Test func `a session that may not be read exits with 77 and says so`() async throws {
        let arguments = ["run", "lens-streaming", "--seconds", "2", "--record", "a.lenssession"]
        #expect(try await CommandLineRun.run(arguments, in: folder.path).status == 0)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0],
            ofItemAtPath: folder.path + "/a.lenssession"
        )
        // The superuser may read everything, unless it gives that up.
        let launcher =
            geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        for arguments in [["replay", "a.lenssession"], ["report", "a.lenssession", "--html", "a.html"]] {
            let run = try await CommandLineRun.run(arguments, in: folder.path, launcher: launcher)
            #expect(run.status == 77)
            #expect(run.errors.contains("there is no permission to read a.lenssession"))
        }
        let again = try await CommandLineRun.run(arguments, in: folder.path, launcher: launcher)
        #expect(again.status == 77)
        #expect(again.errors.contains("there is no permission to replace a.lenssession"))
    }

    @Test func `a recording that was changed is named as such, also where its replay does not notice`()
        async throws
    {
        #expect(
            try await lenssim("run", "lens-streaming", "--seed", "7", "--record", "a.lenssession").status == 0
        )
        let database = try DatabaseQueue(path: folder.file("a.lenssession"))
        try await database.write {
            try $0.execute(sql: "INSERT INTO look VALUES (1, 0, NULL, 0, 0)")
        }
        try database.close()
        let run = try await lenssim("replay", "a.lenssession")
        #expect(run.status == 65 && run.output.contains("the same"), "\(run.output)")
        #expect(
            run.errors == "warning: this recording was changed after it was recorded: look 1 was added\n"
        )
        let json = try await lenssim("replay", "a.lenssession", "--json")
        #expect(json.status == 65)
        let facts = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        )
        #expect(facts["same"] as? Bool == true && facts["alterations"] as? Int == 1)
        #expect(facts["firstAlterations"] as? [String] == ["look 1 was added"])
    }
}
