import Foundation
import GRDB
import SessionRecording
import Simulation
import TestSupport
import Testing
import Transport

@Suite("Entries of a recording by time")
struct SessionEntriesTests {
    /// More of each kind than are read at once, several at each time, and no two kinds in the same order.
    private static let many = """
        INSERT INTO connection VALUES (0, 'http'), (1, 'websocket'), (2, 'udp');
        WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 2000)
            INSERT INTO message SELECT id, id % 3, iif(id % 2, 'out', 'in'), 'text', id / 3 * 1000,
                CAST('message ' || id AS BLOB) FROM n;
        WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 700)
            INSERT INTO look SELECT id, id * 900, iif(id % 10, id, NULL), id, id FROM n;
        WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 1500)
            INSERT INTO screen SELECT id, id / 2 * 700, 's' || (id % 4), iif(id % 5, 'state', 'action'), '{"n":' || id || '}' FROM n;
        WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 600)
            INSERT INTO event SELECT id, id, id * 800, 'phone', 'state', 'event ' || id FROM n;
        """

    private func all(
        _ session: SessionReader,
        _ filter: SessionFilter = SessionFilter(),
        excerpt: Int? = nil
    ) throws -> [SessionEntry] {
        var entries = SessionEntries(session, filter, excerpt: excerpt)
        var found: [SessionEntry] = []
        let count = try entries.left()
        while let entry = try entries.next() {
            found.append(entry)
            if found.count % 500 == 0 { #expect(try entries.left() == count - found.count) }
        }
        #expect(found.count == count)
        #expect(try entries.left() == 0)
        return found
    }

    @Test func `all of them come once, ordered by time, those of a kind as they were written`() throws {
        let session = try WrittenSession(Self.many).reader()
        let found = try all(session)
        #expect(found.count == 2000 + 700 + 1500 + 600)
        #expect(Set(found.map(\.id)).count == found.count)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
        func contents<Value>(_ pick: (SessionEntry.Content) -> Value?) -> [Value] {
            found.compactMap { pick($0.content) }
        }
        #expect(
            contents { if case .screen(let screen) = $0 { screen } else { nil } } == (try session.screens())
        )
        #expect(contents { if case .capture(let look) = $0 { look } else { nil } } == (try session.looks()))
        #expect(contents { if case .event(let event) = $0 { event } else { nil } } == (try session.events()))
        for number in 0..<3 {
            let messages = contents {
                if case .message(let message, _) = $0, message.connection == number { message } else { nil }
            }
            #expect(try messages == session.messages(of: number))
        }
    }

    @Test func `a filter leaves what it says, and what is left is in the same order`() throws {
        let session = try WrittenSession(Self.many).reader()
        let everything = try all(session)
        func check(_ change: (inout SessionFilter) -> Void, belongs: (SessionEntry) -> Bool) throws {
            var filter = SessionFilter()
            change(&filter)
            let wanted = everything.filter(belongs)
            #expect(!wanted.isEmpty && wanted.count < everything.count, "\(filter)")
            #expect(try all(session, filter) == wanted)
        }
        try check {
            $0.kinds = [.websocket, .captures]
        } belongs: {
            ["websocket 1", "camera"].contains($0.place)
        }
        try check {
            $0.kinds = [.actions]
        } belongs: {
            if case .screen(let screen) = $0.content { screen.kind == .action } else { false }
        }
        try check {
            $0.kinds = [.states, .events]
        } belongs: {
            switch $0.content {
            case .screen(let screen): screen.kind == .state
            case .event: true
            default: false
            }
        }
        try check {
            $0.connection = 2
        } belongs: {
            $0.place == "udp 2"
        }
        try check {
            $0.screen = "s3"
        } belongs: {
            $0.place == "screen s3"
        }
        try check {
            $0.times = 100_000...200_000
        } belongs: {
            (100_000...200_000).contains($0.nanoseconds)
        }
        try check {
            $0.text = "1999"
        } belongs: {
            $0.id.description == "m1999"
        }
        try check {
            $0.text = "event 59"
        } belongs: {
            if case .event(let event) = $0.content { event.detail.contains("event 59") } else { false }
        }
        var nothing = SessionFilter()
        nothing.kinds = []
        #expect(try all(session, nothing).isEmpty)
    }

    @Test func `what went wrong is found alone, and is what each entry says of itself`() throws {
        let more = """
            INSERT INTO message (connection, direction, kind, nanoseconds, bytes) VALUES
                (0, 'in', 'failure', 50000000, CAST('{"code":"cancelled","operation":"read","peer":"p","detail":""}' AS BLOB)),
                (2, 'in', 'head', 51000000, CAST('404' AS BLOB)), (2, 'out', 'head', 51000000, CAST('5' AS BLOB)),
                (3, 'in', 'close', 52000000, CAST('1000 ' AS BLOB)), (3, 'out', 'close', 52000000, CAST('1001' AS BLOB)),
                (3, 'out', 'close', 52000000, x''), (3, 'in', 'close', 53000000, CAST('10000 no code' AS BLOB));
            INSERT INTO look VALUES (1, 54000000, 1, 0, 1);
            INSERT INTO screen VALUES (1, 55000000, 'chat', 'state', '404');
            INSERT INTO event VALUES (1, 1, 56000000, 'phone', 'failure', '500');
            """
        let session = try WrittenSession(WrittenSession.exchanges + more).reader()
        var filter = SessionFilter()
        filter.onlyFailures = true
        let failures = try all(session, filter, excerpt: 3)
        #expect(failures.map(\.id) == (try all(session).filter(\.isFailure)).map(\.id))
        #expect(failures.map(\.nanoseconds) == [25_000_000, 44_000_000, 51_000_000, 53_000_000])
        guard case .message(let reset, _) = failures[0].content else { throw CancellationError() }
        #expect(reset.failure?.code == .reset && reset.failure?.detail == "gone")
    }

    @Test func `an excerpt is a beginning, and says how long the whole is`() throws {
        let session = try WrittenSession(WrittenSession.exchanges + Self.longTexts).reader()
        let (whole, short) = (try all(session), try all(session, excerpt: 5))
        #expect(whole.map(\.id) == short.map(\.id))
        #expect(whole.map(\.byteCount) == short.map(\.byteCount))
        for (one, other) in zip(whole, short) {
            switch (one.content, other.content) {
            case (.message(let one, let kind), .message(let other, _)) where one.kind != .failure:
                #expect(Array(one.bytes.prefix(5)) == other.bytes, "\(kind)")
            case (.screen(let one), .screen(let other)): #expect(String(one.json.prefix(5)) == other.json)
            case (.event(let one), .event(let other)): #expect(String(one.detail.prefix(5)) == other.detail)
            default: #expect(one.content == other.content)
            }
        }
        #expect(whole.last?.byteCount == "grüße dich".utf8.count)
        // And one alone is whole.
        let last = try #require(short.last)
        #expect(try session.entry(last.id) == whole.last)
        #expect(try session.entry(#require(SessionEntry.ID("m999"))) == nil)
    }

    private static let longTexts = """
        INSERT INTO screen VALUES (1, 60000000, 'chat', 'state', '{"text":"grüße dich"}');
        INSERT INTO event VALUES (1, 7, 61000000, 'phone', 'state', 'grüße dich');
        """

    @Test func `what is written later comes later`() throws {
        let written = try WrittenSession(Self.longTexts)
        var entries = SessionEntries(try written.reader())
        #expect(try entries.next()?.id.description == "s1")
        #expect(try entries.next()?.id.description == "e1")
        #expect(try entries.next() == nil)
        try written.write(
            """
            INSERT INTO screen VALUES (2, 70000000, 'chat', 'action', '{}');
            INSERT INTO look VALUES (1, 65000000, 1, 0, 5);
            """
        )
        #expect(try entries.next()?.id.description == "c1")
        #expect(try entries.next()?.id.description == "s2")
        #expect(try entries.next() == nil)
    }

    @Test(
        "a file from elsewhere that has other values is damaged, and nothing of it is left out silently",
        arguments: [
            "INSERT INTO message VALUES (1, 7, 'out', 'text', 0, x'00')",
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES (1, 0, 'out', 'text', 0, 'text')",
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES (1, 0, 'up', 'text', 0, x'00')",
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES (-1, 0, 'out', 'text', 0, x'00')",
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES (1, 0, 'out', 'text', 'late', x'00')",
            "INSERT INTO look VALUES (1, 0, -1, 0, 0)",
            "INSERT INTO screen VALUES (1, 0, 'chat', 'other', '{}')",
            "INSERT INTO screen VALUES (1, 0, 'chat', 'state', x'00')",
            "INSERT INTO event VALUES (1, -1, 0, 'phone', 'state', '')",
            "INSERT INTO event VALUES (1, 0, -5, 'phone', 'state', '')",
        ]
    )
    func damaged(_ sql: String) throws {
        let session = try WrittenSession(sql).reader()
        for excerpt in [nil, 10] as [Int?] {
            var entries = SessionEntries(session, excerpt: excerpt)
            #expect {
                _ = try entries.next()
            } throws: {
                if case .damaged? = $0 as? SessionError { true } else { false }
            }
        }
    }

    @Test func `rows far from each other are found as well, and looking for what is not there ends`() throws {
        let session = try WrittenSession(
            """
            INSERT INTO event VALUES (1, 1, 10, 'a', 'k', 'first'), (9223372036854775807, 2, 20, 'a', 'k', 'last');
            INSERT INTO event SELECT 5000000000 + value, 1, 15, 'a', 'k', 'middle' FROM
                (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 9000) SELECT value FROM n);
            """
        ).reader()
        #expect(try all(session).count == 9002)
        var filter = SessionFilter()
        filter.text = "last"
        #expect(try all(session, filter).map(\.id.description) == ["e9223372036854775807"])
        filter.text = "never"
        #expect(try all(session, filter).isEmpty)
    }

    @Test func `names of entries are read as they are written, and nothing else is`() {
        for name in ["m57", "c0", "s1", "e9223372036854775807"] {
            #expect(SessionEntry.ID(name)?.description == name)
        }
        for name in ["", "m", "57", "x1", "m-1", "m1.5", "mm1", "m9223372036854775808"] {
            #expect(SessionEntry.ID(name) == nil)
        }
    }

    @Test func `how much of what there is`() throws {
        let summary = try WrittenSession(Self.many).reader().summary()
        #expect(summary.connections == ["http": 1, "websocket": 1, "udp": 1])
        #expect(summary.messages == 2000 && summary.captures == 700 && summary.pictures == 0)
        #expect(
            summary.states == 1200 && summary.actions == 300 && summary.events == 600 && summary.files == 0
        )
    }

    @Test func `the last moment is that of whatever was last, also where rows are not ordered by time`()
        throws
    {
        let written = try WrittenSession(Self.many)
        #expect(try written.reader().lastMoment() == 666_000)
        try written.write("UPDATE message SET nanoseconds = 777000 WHERE id = 1990")
        #expect(try written.reader().lastMoment() == 777_000)
        try written.write("UPDATE event SET nanoseconds = 888000 WHERE id = 600")
        #expect(try written.reader().lastMoment() == 888_000)
    }
}
