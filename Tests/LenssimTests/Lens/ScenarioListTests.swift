import Foundation
import TestSupport
import Testing

@Suite("The list of scenarios", .timeLimit(.minutes(5)))
struct ScenarioListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func rows(_ arguments: String...) async throws -> [[String: Any]] {
        let run = try await CommandLineRun.run(["scenarios", "--json"] + arguments, in: folder.path)
        return try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    }

    @Test func `scenarios of apps are listed, and the zoo only on request`() async throws {
        let short = try await CommandLineRun.run(["scenarios"], in: folder.path).output
        #expect(short.contains("lens-upload") && !short.contains("double-refresh"), "\(short)")
        #expect(short.contains("lenssim scenarios --zoo"), "\(short)")
        let long = try await CommandLineRun.run(["scenarios", "--zoo"], in: folder.path).output
        #expect(long.contains("lens-upload") && long.contains("double-refresh-fixed"), "\(long)")

        let (few, all) = try await (rows(), rows("--zoo"))
        // Two lines each, and one about the zoo.
        #expect(short.split(separator: "\n").count == 2 * few.count + 1, "\(short)")
        #expect(few.allSatisfy { $0["settings"] is [[String: Any]] })
        #expect(all.count > few.count + 50)
        #expect(all.contains { $0["name"] as? String == "double-refresh" })
        let count = try #require(
            short.split(separator: "\n").last?.split(separator: " ").first.map(String.init)
        )
        #expect(Int(count) == all.count - few.count)
    }

    @Test func `the settings of one scenario are listed, and those of another are none of it`() async throws {
        let streaming = try await CommandLineRun.run(["scenarios", "lens-streaming"], in: folder.path)
        #expect(streaming.status == 0)
        #expect(streaming.output.contains("--seconds"), "\(streaming.output)")
        #expect(
            streaming.output.contains("Seconds to stream. (1 to 864000; default: 10)"),
            "\(streaming.output)"
        )
        #expect(streaming.output.contains("--[no-]prepared"), "\(streaming.output)")
        let upload = try await CommandLineRun.run(["scenarios", "lens-upload"], in: folder.path).output
        #expect(upload.contains("--size") && !upload.contains("--seconds"), "\(upload)")
        let zoo = try await CommandLineRun.run(["scenarios", "double-refresh"], in: folder.path)
        #expect(zoo.status == 64)
        #expect(zoo.errors.contains("double-refresh is no scenario of an app"), "\(zoo.errors)")
    }
}
