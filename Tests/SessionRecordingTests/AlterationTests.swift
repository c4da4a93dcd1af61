import Foundation
import GRDB
import Services
import Simulation
import TestSupport
import Testing

@testable import SessionRecording

@Suite("Recordings that were changed after they were recorded")
struct AlterationTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("a.lenssession") }

    /// A recording in several batches, with rows of each kind.
    init() throws {
        folder = try TemporaryFolder()
        let writer = try SessionWriter(path: folder.file("a.lenssession"), manifest: .sample)
        for number in 0..<40 {
            let time = Int64(number) * 1_000
            let connection = writer.openConnection(kind: "http")
            for direction in [RecordedMessage.Direction.out, .in] {
                writer.add(
                    RecordedMessage(
                        connection: connection,
                        direction: direction,
                        kind: .head,
                        nanoseconds: time,
                        bytes: Array("\(direction.rawValue) of \(number)".utf8)
                    )
                )
            }
            writer.add(
                RecordedLook(
                    nanoseconds: time,
                    sequence: number % 5 == 0 ? nil : number,
                    timestamp: time,
                    hash: ContentHash.current([UInt8(number)])
                )
            ) { RecordedPicture(size: nil, layout: nil, bytes: [UInt8(number), 1, 2]) }
            writer.add(
                RecordedScreen(
                    screen: "home",
                    kind: .state,
                    nanoseconds: time,
                    json: "{\"number\":\(number)}"
                )
            )
            writer.add(
                TraceEvent(step: number, nanoseconds: time, node: "phone", kind: "state", detail: "\(number)")
            )
            if number % 7 == 0 { writer.flush() }
        }
        try writer.finish(SessionOutcome(steps: 40, nanoseconds: 40_000, hash: 1, failure: nil))
    }

    private func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func found() throws -> [String] {
        try SessionReader(path: path).alterations().first.map(\.description)
    }

    @Test func `a recording that nobody touched has none`() throws {
        #expect(try SessionReader(path: path).alterations() == SessionAlterations())
    }

    @Test(
        "each single change is named with its row",
        arguments: [
            ("UPDATE message SET bytes = x'00' WHERE id = 7", ["message 7 was changed"]),
            ("UPDATE message SET bytes = CAST(bytes AS TEXT) WHERE id = 7", ["message 7 was changed"]),
            ("UPDATE message SET nanoseconds = nanoseconds + 1 WHERE id = 80", ["message 80 was changed"]),
            ("UPDATE message SET connection = 0 WHERE id = 9", ["message 9 was changed"]),
            ("DELETE FROM message WHERE id = 1", ["message 1 is missing"]),
            ("DELETE FROM message WHERE id = 41", ["message 41 is missing"]),
            ("DELETE FROM message WHERE id = 80", ["message 80 is missing"]),
            (
                "INSERT INTO message SELECT 81, connection, direction, kind, nanoseconds, bytes FROM message WHERE id = 80",
                ["message 81 was added"]
            ),
            (
                """
                UPDATE message SET id = -5 WHERE id = 5; UPDATE message SET id = 5 WHERE id = 6;
                UPDATE message SET id = 6 WHERE id = -5
                """,
                ["message 5 was changed", "message 6 was changed"]
            ),
            ("UPDATE connection SET kind = 'websocket' WHERE id = 0", ["connection 0 was changed"]),
            ("UPDATE look SET sequence = 0 WHERE id = 1", ["look 1 was changed"]),
            ("UPDATE look SET sequence = NULL WHERE id = 2", ["look 2 was changed"]),
            ("DELETE FROM look WHERE id = 40", ["look 40 is missing"]),
            ("UPDATE screen SET json = '{\"number\":12}' WHERE id = 12", ["screen 12 was changed"]),
            ("UPDATE screen SET kind = 'action' WHERE id = 12", ["screen 12 was changed"]),
            ("UPDATE event SET detail = '' WHERE id = 40", ["event 40 was changed"]),
            ("DELETE FROM event WHERE id = 12", ["event 12 is missing"]),
            ("DELETE FROM seal WHERE kind = 'event' AND id < 5", ["event 1 was added"]),
        ]
    )
    func single(sql: String, expected: [String]) throws {
        try change(sql)
        #expect(try found() == expected)
    }

    @Test func `a byte of a picture counts, and so does a picture that is gone`() throws {
        let hash = Int64(bitPattern: ContentHash.current([UInt8(3)]))
        try change("UPDATE picture SET bytes = x'030103' WHERE hash = \(hash)")
        #expect(try found() == ["picture \(hash) was changed"])
        try change("DELETE FROM picture WHERE hash = \(hash)")
        #expect(try found() == ["picture \(hash) is missing"])
    }

    @Test func `of many changes all are counted, and the first are named`() throws {
        try change("UPDATE screen SET json = json || ' '")
        let alterations = try SessionReader(path: path).alterations()
        #expect(alterations.count == 40 && alterations.first.count == SessionAlterations.mostNamed)
        #expect(alterations.first.last?.row == 20)
    }

    @Test func `a recording without seals, as former versions made them, has none`() throws {
        try change("DROP TABLE seal; PRAGMA user_version = 3; DELETE FROM message WHERE id = 1")
        #expect(try SessionReader(path: path).alterations().count == 0)
    }

    @Test func `seals that are no seals are no danger`() throws {
        try change("UPDATE seal SET hashes = x'0102030405060708090a0b0c0d0e0f10ff' WHERE kind = 'screen'")
        #expect(try SessionReader(path: path).alterations().count > 40)
        try change("UPDATE seal SET hashes = zeroblob(100000) WHERE id = 1")
        #expect(try SessionReader(path: path).alterations().count > 40)
        try change("UPDATE seal SET hashes = 'text'")
        #expect(throws: SessionError.self) { try SessionReader(path: path).alterations() }
    }

    @Test func `what a killed writer has written has none`() throws {
        let cut = folder.file("cut.lenssession")
        let writer = try SessionWriter(path: cut, manifest: .sample)
        for step in 0..<300 {
            writer.add(TraceEvent(step: step, nanoseconds: 5, node: "phone", kind: "state", detail: "e"))
        }
        let session = try SessionReader(path: cut)
        #expect(try session.outcome == nil && session.events().count == 256)
        #expect(try session.alterations().count == 0)
    }
}
