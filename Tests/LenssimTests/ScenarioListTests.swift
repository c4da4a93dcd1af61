import Foundation
import Testing

@Suite("The list of scenarios", .timeLimit(.minutes(1)))
struct ScenarioListTests {
    private let folder = TemporaryFolder()

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
        #expect(few.allSatisfy { $0["seconds"] is Int })
        #expect(all.count > few.count + 50)
        #expect(all.contains { $0["name"] as? String == "double-refresh" })
        let count = try #require(
            short.split(separator: "\n").last?.split(separator: " ").first.map(String.init)
        )
        #expect(Int(count) == all.count - few.count)
    }
}
