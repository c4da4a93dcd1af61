import Foundation
import GRDB
import Simulation
import TestSupport
import Testing

@testable import SessionRecording

/// Sessions in which something of each kind happens in every second.
@Suite("Recordings of the last minutes")
struct RecordingRingTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("a.lenssession") }
    private static let second: Int64 = 1_000_000_000

    init() throws { folder = try TemporaryFolder() }

    private func writer(last: Int?) throws -> SessionWriter {
        let retention = Retention(last: last.map { .seconds($0) })
        let writer = try SessionWriter(path: path, manifest: .sample, retention: retention)
        // A conversation that goes on, and a screen that shows the same from then on.
        #expect(writer.openConnection(kind: "websocket") == 0)
        for direction in [RecordedMessage.Direction.out, .in] {
            add(0, direction, .head, 0, "handshake", to: writer)
        }
        writer.add(RecordedScreen(screen: "about", kind: .state, nanoseconds: 0, json: "{}"))
        return writer
    }

    private func add(
        _ connection: Int,
        _ direction: RecordedMessage.Direction,
        _ kind: RecordedMessage.Kind,
        _ second: Int,
        _ text: String,
        to writer: SessionWriter
    ) {
        writer.add(
            RecordedMessage(
                connection: connection,
                direction: direction,
                kind: kind,
                nanoseconds: Int64(second) * Self.second,
                bytes: Array(text.utf8)
            )
        )
    }

    /// Adds what happens in a second; a request that begins in it ends in the next.
    private func pass(_ second: Int, _ writer: SessionWriter, bytes: Int = 10) {
        let time = Int64(second) * Self.second
        add(0, .in, .text, second, "\(second)", to: writer)
        let request = writer.openConnection(kind: "http")
        add(request, .out, .head, second, "GET http://a/\(second)", to: writer)
        add(request, .out, .end, second, "", to: writer)
        add(request, .in, .head, second + 1, "200", to: writer)
        add(request, .in, .body, second + 1, String(repeating: "x", count: bytes), to: writer)
        add(request, .in, .end, second + 1, "", to: writer)
        writer.closeConnection(request)
        let hash = UInt64(second % 50)
        writer.add(RecordedLook(nanoseconds: time, sequence: second, timestamp: time, hash: hash)) {
            RecordedPicture(size: nil, layout: nil, bytes: Array(repeating: UInt8(hash), count: bytes))
        }
        for (kind, json) in [(RecordedScreen.Kind.action, "\"a\(second)\""), (.state, "{\"s\":\(second)}")] {
            writer.add(RecordedScreen(screen: "home", kind: kind, nanoseconds: time, json: json))
        }
        writer.add(
            TraceEvent(step: second, nanoseconds: time, node: "phone", kind: "heard", detail: "\(second)")
        )
    }

    private func finish(_ writer: SessionWriter, at second: Int) throws -> SessionReader {
        try writer.finishAndRead(
            SessionOutcome(
                steps: second,
                nanoseconds: Int64(second) * Self.second,
                hash: 1,
                failure: nil
            )
        )
    }

    private func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func count(_ sql: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM " + sql) ?? 0 }
    }

    /// Whether a file can be read to its end by all that read it, and has all that it is to have.
    private func check(_ session: SessionReader, until second: Int) throws {
        let start = session.keptFrom ?? 0
        #expect(try session.alterations().count == 0)
        var entries = SessionEntries(session)
        while try entries.next() != nil {}
        let seconds = (0...second).filter { Int64($0) * Self.second >= start }
        #expect(try session.events().map(\.step) == seconds)
        let looks = try session.looks()
        #expect(looks.compactMap(\.sequence) == seconds)
        for look in looks { #expect(try session.picture(look.hash)?.bytes.first == UInt8(look.hash)) }
        let talk = try session.messages(of: 0).filter { $0.kind == .text }
        #expect(talk.map { String(decoding: $0.bytes, as: UTF8.self) } == seconds.map { "\($0)" })
        for connection in try session.connections() {
            let messages = try session.messages(of: connection.number)
            #expect(messages.map(\.kind).starts(with: [.head]))
            if connection.kind == "http" { #expect(messages.count == 5, "an exchange is whole") }
        }
        let timeline = try ScreenTimeline(session)
        #expect(Set(timeline.firstStates.keys) == ["about", "home"])
        #expect(timeline.actionCount == seconds.count)
        for event in 1...timeline.count { _ = try timeline.moment(event) }
    }

    @Test func `it keeps the last minutes of everything, and no more`() throws {
        let writer = try writer(last: 60)
        for second in 0...400 { pass(second, writer) }
        let session = try finish(writer, at: 401)
        // The answer to the last request is the newest.
        #expect(session.keptFrom == 341 * Self.second)
        try check(session, until: 400)
        #expect(try session.events().count == 60)
        #expect(try count("message WHERE nanoseconds < \(340 * Self.second)") == 2, "the handshake alone")
        #expect(try count("connection") == 1 + 61)
        #expect(try count("screen WHERE nanoseconds < \(341 * Self.second)") == 2, "one of each screen")
        #expect(try count("picture") == 50)
        #expect(try session.keptPart()?.description == "the last 1 min of 6 min 41 s")
    }

    @Test func `a session that is shorter has all, and says nothing of a beginning`() throws {
        let writer = try writer(last: 60)
        for second in 0..<59 { pass(second, writer) }
        let session = try finish(writer, at: 60)
        #expect(try session.keptFrom == nil && session.keptPart() == nil)
        try check(session, until: 58)
        #expect(try session.messages(of: 0).first?.kind == .head)
    }

    @Test func `after every batch the file is what it is to be`() throws {
        let writer = try writer(last: 20)
        for second in 0..<90 {
            pass(second, writer)
            writer.flush()
            let session = try SessionReader(path: path)
            try check(session, until: second)
            // A tenth more gathers at most.
            let kept = Int64(second + 1) * Self.second - (session.keptFrom ?? 0)
            #expect(kept < 22 * Self.second && (session.keptFrom == nil || kept >= 20 * Self.second))
        }
        withExtendedLifetime(writer) {}
    }

    @Test func `the file of a long session is no larger than that of a short one`() throws {
        let writer = try writer(last: 10)
        func size() throws -> Int {
            writer.flush()
            return try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        // It is written once a second, as a live one is.
        for second in 0..<30 {
            pass(second, writer, bytes: 20_000)
            writer.flush()
        }
        let short = try size()
        for second in 30..<600 {
            pass(second, writer, bytes: 20_000)
            writer.flush()
        }
        let long = try size()
        #expect(long < short * 5 / 4, "\(long) bytes after \(short)")
        withExtendedLifetime(writer) {}
    }

    @Test func `what was dropped is nowhere in the file`() throws {
        let writer = try writer(last: 10)
        add(0, .in, .text, 0, "a word of the beginning", to: writer)
        for second in 0..<30 { pass(second, writer) }
        writer.flush()
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.range(of: Data("a word of".utf8)) == nil)
        #expect(bytes.range(of: Data("handshake".utf8)) != nil)
        withExtendedLifetime(writer) {}
    }

    @Test(
        "rows that go later are missing, also those that are kept from before the beginning",
        arguments: [
            ("DELETE FROM message WHERE id = 1", ["message 1 is missing"]),
            ("DELETE FROM screen WHERE id = 1", ["screen 1 is missing"]),
            ("DELETE FROM event WHERE id = 90", ["event 90 is missing"]),
            (
                "INSERT INTO event VALUES (5, 5, 5000000000, 'phone', 'heard', '5')",
                ["event 5 was added"]
            ),
            ("UPDATE message SET bytes = x'00' WHERE id = 2", ["message 2 was changed"]),
        ]
    )
    func altered(sql: String, expected: [String]) throws {
        let writer = try writer(last: 20)
        for second in 0..<100 { pass(second, writer) }
        _ = try finish(writer, at: 100)
        try change(sql)
        #expect(try SessionReader(path: path).alterations().first.map(\.description) == expected)
    }

    @Test func `numbers of dropped rows are not given again`() throws {
        let writer = try writer(last: 10)
        for second in 0..<3 { pass(second, writer) }
        pass(1_000, writer)
        writer.flush()
        pass(1_001, writer)
        let session = try finish(writer, at: 1_002)
        #expect(try session.entry(SessionEntry.ID(.event, 4))?.nanoseconds == 1_000 * Self.second)
        #expect(try session.entry(SessionEntry.ID(.event, 5))?.nanoseconds == 1_001 * Self.second)
    }

    @Test func `a picture that is seen again after it was dropped is kept again`() throws {
        let writer = try writer(last: 10)
        for second in [0, 20, 21, 50, 70, 71] {
            pass(second, writer)
            writer.flush()
        }
        let session = try finish(writer, at: 72)
        #expect(try session.looks().map(\.hash) == [20, 21])
        #expect(try session.picture(20) != nil && session.picture(0) == nil)
    }

    @Test func `a conversation in which nothing was said for long goes on where it was opened`() throws {
        let writer = try writer(last: 10)
        let quiet = writer.openConnection(kind: "websocket")
        add(quiet, .out, .head, 0, "GET ws://quiet", to: writer)
        let closed = writer.openConnection(kind: "websocket")
        add(closed, .out, .head, 0, "GET ws://closed", to: writer)
        writer.closeConnection(closed)
        for second in 0..<60 { pass(second, writer) }
        writer.flush()
        add(quiet, .in, .text, 60, "at last", to: writer)
        // What comes too late for its connection is left out with it.
        add(closed, .in, .text, 60, "too late", to: writer)
        let session = try finish(writer, at: 61)
        #expect(try session.messages(of: quiet).map(\.kind) == [.head, .text])
        #expect(try !session.connections().map(\.number).contains(closed))
        #expect(try session.messages(of: closed).isEmpty && session.alterations().count == 0)
    }

    @Test func `a beginning that is no time is damage`() throws {
        let writer = try writer(last: 10)
        for second in 0..<30 { pass(second, writer) }
        _ = try finish(writer, at: 30)
        for value in ["-1", "soon", "9999999999999999999"] {
            try change("UPDATE fact SET value = '\(value)' WHERE name = 'kept_from'")
            #expect(throws: SessionError.self) { try SessionReader(path: path) }
        }
        // Without it the file lacks what it should have.
        try change("DELETE FROM fact WHERE name = 'kept_from'")
        let session = try SessionReader(path: path)
        #expect(throws: SessionError.self) { try session.connections() }
        #expect(throws: SessionError.self) { try ScreenTimeline(session) }
    }

    @Test(arguments: [
        (12.5, "12.5 s"), (59.96, "1 min"), (600, "10 min"), (603, "10 min 3 s"), (7_380, "2 h 3 min"),
        (7_200, "2 h"), (0.04, "0 s"), (3_599.9, "1 h"),
    ])
    func `lengths of time are said in their two largest units`(seconds: Double, words: String) {
        #expect(KeptPart.words(.seconds(seconds)) == words)
    }
}
