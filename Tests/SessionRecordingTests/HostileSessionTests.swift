import Foundation
import GRDB
import LensScenarios
import Services
import SessionRecording
import Testing

/// A session in which anything may be changed.
private struct Forgery {
    let path: String

    /// Changes what the tables' own constraints would refuse too.
    func change(_ sql: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let text = try queue.writeWithoutTransaction { db in
            let text = try Row.fetchAll(db, sql: "SELECT rowid, sql FROM sqlite_master")
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '');
                    PRAGMA writable_schema = RESET;
                    """
            )
            return text
        }
        try queue.writeWithoutTransaction { db in
            // What SQLite itself refuses nobody can write.
            try? db.execute(sql: sql)
            try db.execute(sql: "PRAGMA writable_schema = ON")
            for row in text {
                try db.execute(
                    sql: "UPDATE sqlite_master SET sql = ? WHERE rowid = ?",
                    arguments: [row["sql"], row["rowid"]]
                )
            }
        }
        try queue.close()
    }

    func setParameter(_ name: String, _ value: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql:
                    "UPDATE fact SET value = json_set(value, '$.parameters.' || ?, ?) WHERE name = 'manifest'",
                arguments: [name, value]
            )
        }
        try queue.close()
    }

    /// Reads all of it and replays it, and returns what is wrong with it; any other error is thrown.
    func damage() throws -> SessionError? {
        do {
            let session = try SessionReader(path: path)
            for number in try session.connections().indices { _ = try session.messages(of: number) }
            for look in try session.looks() { _ = try session.picture(look.hash) }
            _ = try (session.events(), session.files())
            _ = try session.replay()
            return nil
        } catch let error as SessionError {
            return error
        }
    }
}

@Suite("Session files from elsewhere", .timeLimit(.minutes(5)))
struct HostileSessionTests {
    private let folder = TemporaryFolder()

    private static let values = [
        "NULL", "'abc'", "''", "x'ff00'", "x''", "1.5", "9e999", "-9e999", "0", "-1", "5000000000",
        "34560000000000000",
        "9223372036854775807", "-9223372036854775808", "'9223372036854775808'", "CAST(x'ff00fe' AS TEXT)",
    ]

    private static let columns = [
        "fact": ["name", "value"], "connection": ["id", "kind"],
        "message": ["id", "connection", "direction", "kind", "nanoseconds", "bytes"],
        "look": ["id", "nanoseconds", "sequence", "timestamp", "hash"],
        "picture": ["hash", "width", "height", "layout", "bytes"],
        "event": ["id", "step", "nanoseconds", "node", "kind", "detail"], "file": ["path", "bytes"],
    ]

    private func simulated(seconds: Int = 1) throws -> String {
        let path = folder.path + "/simulated"
        var settings = Scenario.lensStreaming.settings
        settings.seconds = seconds
        settings.size = PixelSize(width: 160, height: 90)
        #expect(try Scenario.lensStreaming.record(seed: 5, settings: settings, to: path).failure == nil)
        return path
    }

    /// A recording over real sockets, with something in every table.
    private func loopback() async throws -> String {
        let path = folder.path + "/loopback"
        let settings = DemoSettings(seconds: 1, size: PixelSize(width: 160, height: 90), seed: 4)
        let hosted = try await LoopbackPeers.start(settings.options)
        let demo = Demo(settings: settings, phoneFolder: folder.path + "/phone", sessionPath: path)
        _ = try await demo.run(
            addresses: hosted.addresses,
            transport: hosted.transport,
            stop: { try? await Task.sleep(for: .seconds(600)) },
            tell: { _ in }
        )
        await hosted.stop()
        let original = Forgery(path: path)
        try original.change("INSERT INTO file VALUES ('Documents/a.txt', x'01')")
        try original.change("INSERT INTO event VALUES (1, 1, 1, 'phone', 'state', 'text')")
        try original.change(
            """
            INSERT INTO picture SELECT DISTINCT hash, 160, 90, 'i420', zeroblob(21600) FROM look
            WHERE sequence IS NOT NULL
            """
        )
        try original.setParameter("input", "pictures")
        return path
    }

    private func copy(_ path: String) throws -> Forgery {
        let copy = folder.path + "/forged"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return Forgery(path: copy)
    }

    @Test("LENS-255 no value in any column ends the process or replays without end")
    func anyValue() async throws {
        let simulated = try simulated()
        let loopback = try await loopback()
        #expect(try SessionReader(path: loopback).replay().compared > 3)
        var (replayed, damaged) = (0, 0)
        for (table, columns) in Self.columns.sorted(by: { $0.key < $1.key }) {
            for column in columns {
                for value in Self.values {
                    let forged = try copy(table == "event" ? simulated : loopback)
                    try forged.change(
                        """
                        UPDATE \(table) SET \(column) = \(value) WHERE rowid =
                        (SELECT rowid FROM \(table) LIMIT 1 OFFSET (SELECT count(*) / 2 FROM \(table)))
                        """
                    )
                    if try forged.damage() == nil { replayed += 1 } else { damaged += 1 }
                }
            }
        }
        // Text in place of text replays, and differs; most other things are damage.
        #expect(replayed > 80)
        #expect(damaged > 200)
    }

    @Test(
        "LENS-255 a value of the wrong kind is damage, wherever it stands",
        arguments: [
            "UPDATE event SET nanoseconds = 'abc'", "UPDATE event SET step = 'abc'",
            "UPDATE event SET detail = NULL", "UPDATE message SET kind = x'ff00'",
            "UPDATE message SET nanoseconds = -1", "UPDATE message SET bytes = 'text'",
            "UPDATE look SET hash = 'zz'", "UPDATE look SET sequence = 1.5", "UPDATE picture SET width = -1",
            "UPDATE picture SET width = 9223372036854775807", "UPDATE picture SET layout = 'no such layout'",
            "UPDATE fact SET value = x'ff00' WHERE name = 'manifest'", "DELETE FROM picture",
            "UPDATE connection SET id = id + 7", "UPDATE connection SET kind = 'pigeon'",
            "UPDATE file SET path = '../../outside'", "UPDATE file SET bytes = NULL",
            "INSERT INTO file VALUES ('Documents/a.txt/b', x'01')",
            "DROP TABLE look", "ALTER TABLE look ADD COLUMN more",
            "CREATE TRIGGER t AFTER INSERT ON look BEGIN SELECT 1; END",
            """
            DROP TABLE look; CREATE VIEW look AS WITH RECURSIVE r (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r)
            SELECT id, 0 AS nanoseconds, 0 AS sequence, 0 AS timestamp, 0 AS hash FROM r
            """,
            """
            DROP TABLE file; CREATE TABLE file (path TEXT PRIMARY KEY,
            bytes BLOB NOT NULL GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL);
            INSERT INTO file (path) VALUES ('a'), ('b'), ('c')
            """,
        ]
    )
    func wrongKind(sql: String) throws {
        let path = folder.path + "/written"
        let writer = try SessionWriter(path: path, manifest: .sample)
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let forged = Forgery(path: path)
        for row in [
            "fact SELECT 'x', 'y'", "connection VALUES (0, 'http')",
            "message VALUES (1, 0, 'out', 'head', 5, x'00')", "look VALUES (1, 5, 0, 5, 7)",
            "picture VALUES (7, 1, 1, 'rgb', x'000000')", "event VALUES (1, 1, 5, 'a', 'b', 'c')",
            "file VALUES ('Documents/a.txt', x'01')",
        ] { try forged.change("INSERT INTO \(row)") }
        try forged.change(
            """
            UPDATE fact SET value = json_set(value, '$.fidelity', 'loopback', '$.scenario', 'demo',
                '$.parameters.input', 'pictures') WHERE name = 'manifest'
            """
        )
        #expect(try SessionReader(path: path).replay().isSame == false)
        if sql.hasPrefix("UPDATE") || sql.hasPrefix("DELETE") || sql.hasPrefix("INSERT") {
            try forged.change(sql)
        } else {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
            try queue.close()
        }
        #expect {
            let session = try SessionReader(path: path)
            _ = try session.events()
            _ = try session.replay()
        } throws: { error in
            if case .damaged(path, _)? = error as? SessionError { true } else { false }
        }
    }

    @Test(
        "LENS-255 settings that no run can have are damage",
        arguments: [
            ("width", "-1"), ("width", "0"), ("width", "1000000"), ("height", "1000000"), ("height", "wide"),
            ("seconds", "9223372036854775807"), ("seconds", "4611686018427387904"), ("seconds", "0"),
            ("seconds", "1e3"), ("streamRate", "0"), ("streamRate", "1000000000"),
        ]
    )
    func settings(name: String, value: String) throws {
        for fidelity in ["simulated", "loopback"] {
            let path = folder.path + "/" + fidelity
            let writer = try SessionWriter(path: path, manifest: .sample)
            try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
            let forged = Forgery(path: path)
            let scenario = fidelity == "simulated" ? "lens-streaming" : "demo"
            try forged.change(
                """
                UPDATE fact SET value = json_set(value, '$.fidelity', '\(fidelity)', '$.scenario', '\(scenario)')
                WHERE name = 'manifest'
                """
            )
            try forged.setParameter(name, value)
            #expect {
                try SessionReader(path: path).replay()
            } throws: { error in
                guard case .damaged(path, let detail)? = error as? SessionError else { return false }
                return detail.contains(name)
            }
        }
    }

    @Test(
        "LENS-255 a time or a count that no run can have is damage",
        arguments: [
            ("manifest", "startOfTime", "9223372036854775807"), ("manifest", "startOfTime", "-1"),
            ("outcome", "stoppedAt", "9223372036854775807"), ("outcome", "nanoseconds", "-1"),
            ("outcome", "steps", "-1"),
        ]
    )
    func outOfRange(fact: String, field: String, value: String) throws {
        let path = folder.path + "/written"
        let writer = try SessionWriter(path: path, manifest: .sample)
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        try Forgery(path: path).change(
            "UPDATE fact SET value = json_set(value, '$.\(field)', \(value)) WHERE name = '\(fact)'"
        )
        #expect {
            try SessionReader(path: path)
        } throws: { error in
            if case .damaged(path, _)? = error as? SessionError { true } else { false }
        }
    }

    @Test(
        "LENS-255 addresses that are none give a difference, and nothing worse",
        arguments: [
            "", " ", "\u{0}\n\r", "@", "[", "ü b", "http://", String(repeating: "x", count: 100_000),
        ]
    )
    func addresses(text: String) async throws {
        let loopback = try await loopback()
        for name in ["gemini", "geminiVersion", "supabase"] {
            let forged = try copy(loopback)
            try forged.setParameter(name, text)
            #expect(try forged.damage() == nil)
        }
    }
}
