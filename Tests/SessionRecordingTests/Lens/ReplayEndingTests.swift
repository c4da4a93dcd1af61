import Foundation
import GRDB
import LensScenarios
import ScenarioKit
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("How a replay ends", .timeLimit(.minutes(10)))
struct ReplayEndingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func simulated(changed sql: String...) throws -> SessionReader {
        let path = folder.path + "/simulated"
        var scenario = LensStreaming()
        scenario.seconds = 2
        #expect(try scenario.record(Recipe(seed: 5), to: path).failure == nil)
        return try changed(path, sql)
    }

    private func changed(_ path: String, _ sql: [String]) throws -> SessionReader {
        let queue = try DatabaseQueue(path: path)
        for sql in sql { try queue.write { try $0.execute(sql: sql) } }
        try queue.close()
        return try SessionReader(path: path)
    }

    private static let failed = """
        UPDATE fact SET value = json_set(value, '$.failure', 'a frame was lost') WHERE name = 'outcome'
        """

    @Test func `a recorded failure that no longer happens is a difference, told with the first other output`()
        throws
    {
        let report = try simulated(
            changed: Self.failed,
            "UPDATE event SET detail = 'something else' WHERE id = 7"
        ).replay()
        #expect(!report.isSame)
        #expect(report.endings?.recorded == "failed: a frame was lost")
        #expect(report.endings?.replayed == "succeeded")
        #expect(report.firstDifference?.recorded.contains("something else") == true)
    }

    @Test func `a failure that is mended without any other output is a difference too`() throws {
        #expect(try !simulated(changed: Self.failed).replay().isSame)
    }

    @Test func `an event behind the last of a whole session is a difference`() throws {
        let report = try simulated(
            changed: "DELETE FROM event WHERE id = (SELECT max(id) FROM event)"
        ).replay()
        #expect(!report.isSame)
        #expect(report.firstDifference?.recorded == "nothing more")
    }

    @Test func `a replay until a time ends there, however long the session is`() throws {
        let session = try simulated(
            changed: """
                UPDATE fact SET value = json_set(value, '$.parameters.seconds', '864000')
                WHERE name = 'manifest'
                """
        )
        let report = try session.replay(until: .seconds(1))
        #expect(report.isSame)
        #expect(report.compared > 10)
        #expect((0.5...1).contains(report.seconds))
    }

    @Test func `a replay until a time tells what is missing before it, and nothing of what comes after`()
        throws
    {
        let path = try simulated().path
        let late = try changed(path, ["UPDATE event SET detail = 'late' WHERE nanoseconds > 1500000000"])
        #expect(try late.replay(until: .seconds(1)).isSame)
        #expect(try !late.replay(until: .seconds(2)).isSame)
        let more = try changed(
            path,
            [
                "DELETE FROM event WHERE nanoseconds > 1000000000",
                "INSERT INTO event SELECT max(id) + 1, 0, 1000000000, 'phone', 'state', 'more' FROM event",
            ]
        )
        #expect(try more.replay(until: .seconds(1)).firstDifference?.replayed == "nothing more")
    }

    @Test func `a replay until a time after the end is one of all`() throws {
        let report = try simulated().replay(until: .seconds(1_000_000_000))
        #expect(report.isSame)
        #expect(report.hashes != nil)
    }

    @Test func `a simulated recording that stops before its end is compared as far as it goes`() throws {
        let report = try simulated(
            changed: "DELETE FROM fact WHERE name = 'outcome'",
            "DELETE FROM event WHERE id > (SELECT count(*) / 2 FROM event)"
        ).replay()
        #expect(report.cutOffAt != nil)
        #expect(report.isSame)
        #expect(report.compared > 10)
    }
}
