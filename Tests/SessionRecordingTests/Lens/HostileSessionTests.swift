import Foundation
import GRDB
import LensScenarios
import ScenarioKit
import SessionRecording
import TestSupport
import Testing

@Suite("Session files from elsewhere", .timeLimit(.minutes(10)))
struct HostileSessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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
            "UPDATE screen SET kind = 'pigeon'", "UPDATE screen SET json = x'ff00'", "DROP TABLE screen",
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
            "file VALUES ('Documents/a.txt', x'01')", "screen VALUES (1, 5, 'camera', 'state', '{}')",
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
            ("seconds", "1e3"), ("fps", "0"), ("fps", "1000000000"), ("size", "320"),
            ("streamRate", "0"), ("streamRate", "1000000000"),
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
                // Former recordings have other names.
                let today = ["width": "size", "height": "size", "streamRate": "fps"]
                return detail.contains("its setting \(today[name] ?? name) is ")
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
}
