import Foundation
import GRDB
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import TestSupport
import Testing

@Suite("Recordings that were cut off", .timeLimit(.minutes(5)))
struct LiveCutRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What was recorded of four seconds.
    private func recorded() async throws -> String {
        let settings = DemoSettings(seconds: 4, size: PixelSize(width: 160, height: 90), seed: 4)
        let recording = try await LiveRecording.make(settings, in: folder)
        _ = try recording.outcome.get()
        return recording.path
    }

    /// What a writer leaves that was killed after it had written all that happened up to a time, in nanoseconds.
    private func cut(_ path: String, at time: Int64, changing sql: String = "") throws -> SessionReader {
        let copy = folder.path + "/cut-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let queue = try DatabaseQueue(path: copy)
        try queue.write { database in
            // What was not sent is never complete.
            try database.execute(
                sql: """
                    DELETE FROM message WHERE direction = 'out'
                    AND id > (SELECT min(id) FROM message WHERE direction = 'out' AND nanoseconds > ?)
                    """,
                arguments: [time]
            )
            for table in ["message", "look", "event", "screen"] {
                try database.execute(sql: "DELETE FROM \(table) WHERE nanoseconds > ?", arguments: [time])
            }
            try database.execute(
                sql: """
                    DELETE FROM connection WHERE id NOT IN (SELECT connection FROM message);
                    DELETE FROM fact WHERE name = 'outcome';
                    """
            )
            try database.execute(sql: sql)
        }
        try queue.close()
        return try SessionReader(path: copy)
    }

    private func moments(_ path: String) throws -> [Int64] {
        let tables = ["message", "look", "event", "screen"].map { "SELECT nanoseconds FROM \($0)" }
        let sql = "SELECT * FROM (\(tables.joined(separator: " UNION "))) ORDER BY 1"
        let queue = try DatabaseQueue(path: path)
        return try queue.read { try Int64.fetchAll($0, sql: sql) }
    }

    /// What a recording holds: directions with kinds of messages, and other tables.
    private func kinds(_ path: String) throws -> Set<String> {
        let tables = ["look", "event", "screen"].map { "SELECT '\($0)' FROM \($0)" }
        let sql = "SELECT direction || ' ' || kind FROM message UNION \(tables.joined(separator: " UNION "))"
        let queue = try DatabaseQueue(path: path)
        return try queue.read { try Set(String.fetchAll($0, sql: sql)) }
    }

    /// Delays each message that the program sends as far as it can have been late, as on a machine under load: until what came next.
    private func slow(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(
                sql: """
                    UPDATE message SET nanoseconds = max(nanoseconds, ifnull((SELECT next.nanoseconds FROM message AS next
                        WHERE next.connection = message.connection AND next.id > message.id ORDER BY next.id LIMIT 1), 0))
                    WHERE direction = 'out' AND kind IN ('text', 'close')
                    """
            )
        }
        try queue.close()
    }

    @Test(
        "a recording that was cut off at any moment replays the same up to there",
        arguments: [false, true]
    )
    func everywhere(_ isLate: Bool) async throws {
        let path = try await recorded()
        if isLate { try slow(path) }
        let moments = try moments(path)
        // How many there are depends on the machine; that the demonstration was under way does not.
        try #require(try kinds(path).isSuperset(of: ["out head", "in head", "look"]))
        for moment in moments {
            let session = try cut(path, at: moment)
            let report = try session.replay()
            #expect(report.isSame, "\(moment): \(report)")
            let end = Double(try session.lastMoment()) / 1e9
            #expect(report.cutOffAt == end && end <= Double(moment) / 1e9)
            #expect(report.seconds <= end + 0.001)
        }
    }

    @Test(
        "of a recording that was cut off, what is other, more or missing before its last second is a difference"
    )
    func differences() async throws {
        let path = try await recorded()
        let end = try #require(try moments(path).last)
        let early =
            "connection = 0 AND direction = 'out' AND kind = 'text' AND nanoseconds < \(end - 2_500_000_000)"
        // One that was complete before the first that failed, and before the end of the conversation.
        let complete = """
            id < (SELECT max(id) FROM message WHERE connection = 0 AND direction = 'out' AND kind = 'end' AND id <
                (SELECT min(id) FROM message WHERE connection = 0 AND kind IN ('failure', 'close')))
            """
        let newest = "(SELECT max(id) FROM message WHERE \(early) AND \(complete))"
        let chosen = "id = \(newest)"
        let other = try cut(path, at: end, changing: "UPDATE message SET bytes = x'7b7d' WHERE \(chosen)")
        #expect(try !other.replay().isSame)
        let ended =
            "(SELECT min(id) FROM message WHERE id > \(newest) AND connection = 0 AND direction = 'out' AND kind = 'end')"
        let fewer = try cut(path, at: end, changing: "DELETE FROM message WHERE id IN (\(newest), \(ended))")
        #expect(try !fewer.replay().isSame)
        let missing = try cut(
            path,
            at: end,
            changing: """
                INSERT INTO connection SELECT max(id) + 1, 'http' FROM connection;
                INSERT INTO message SELECT max(id) + 1, (SELECT max(id) FROM connection), 'out', 'head', 1000000000,
                    CAST('GET http://127.0.0.1/never' AS BLOB) FROM message
                """
        )
        let difference = try #require(try missing.replay().firstDifference)
        #expect(difference.replayed == "nothing more" && difference.recorded.contains("never"))
    }

    @Test("a replay until a time compares what comes before it alone", arguments: [true, false])
    func until(_ isCut: Bool) async throws {
        let path = try await recorded()
        let end = try #require(try moments(path).last)
        let session = isCut ? try cut(path, at: end) : try SessionReader(path: path)
        for tenths in stride(from: 5, through: 35, by: 5) {
            let report = try session.replay(until: .milliseconds(100 * tenths))
            #expect(report.isSame, "\(tenths): \(report)")
            #expect(report.cutOffAt == nil && report.seconds <= Double(tenths) / 10)
        }
    }

    @Test("what the program does after the end of a recording that was cut off is shown on request")
    func next() async throws {
        let path = try await recorded()
        let moments = try moments(path)
        let cut = try cut(path, at: moments[moments.count / 2])
        let report = try cut.replay(further: .seconds(5))
        #expect(report.isSame && !report.next.isEmpty)
        #expect(report.next.map(\.nanoseconds) == report.next.map(\.nanoseconds).sorted())
    }
}
