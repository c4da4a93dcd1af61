import AppKernel
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Outbox: files of other versions")
struct OutboxEditionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What the first edition of the queue has written: its statements, and rows in each of its states.
    private func fixture() throws -> AppDatabase {
        let path = folder.file("first.sqlite")
        let queue = try DatabaseQueue(path: path)
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let sql = try String(
            contentsOf: root.appending(path: "Fixtures/Outbox/first-edition.sql"),
            encoding: .utf8
        )
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return try AppDatabase(path: path)
    }

    @Test func `a file of the first edition opens, with every entry in its state`() throws {
        let database = try fixture()
        let outbox = try Outbox<Wish>(database: database, name: "letters")
        let entries = try outbox.entries()
        #expect(entries.map(\.identity) == ["waits", "was in work", "is done", "due", "failed", "poison"])
        #expect(entries.map(\.state) == [.pending, .pending, .done, .failed, .failed, .failed])
        #expect(
            entries.map(\.reason) == [nil, nil, nil, .noted("503"), .noted("403: no"), .noted("3 times")]
        )
        #expect(entries[0].idempotencyKey == UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
        #expect(entries[1].crashes == 1 && entries[5].isSetAside)
        #expect(entries[3].due == Date(timeIntervalSinceReferenceDate: 700_000_100))
        // Each is worked on once its time has come, and nothing else.
        let now = Date(timeIntervalSinceReferenceDate: 700_000_000)
        var taken: [String] = []
        for seconds in [0.0, 0, 0, 101] {
            let claim = try #require(try outbox.claim(now: now + seconds))
            taken.append(claim.entry.identity)
            #expect(try outbox.finish(claim, receipt: claim.receipt ?? Data("\"r\"".utf8), now: now) { _ in })
        }
        #expect(taken == ["waits", "was in work", "is done", "due"])
        #expect(try outbox.claim(now: now + 101) == nil)
        #expect(try Outbox<Wish>(database: database, name: "others").entries().map(\.identity) == ["waits"])
    }

    @Test func `a new file has the tables and indexes of one that has come through every edition`() throws {
        func schema(of database: AppDatabase) throws -> [String] {
            _ = try Outbox<Wish>(database: database, name: "letters")
            return try database.read("read the schema") { database in
                let columns = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT m.name, c.* FROM sqlite_schema m, pragma_table_xinfo(m.name) c
                        WHERE m.name LIKE 'outbox%' AND m.type = 'table' ORDER BY m.name, c.cid
                        """
                )
                let others = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT type, name, tbl_name, replace(replace(substr(sql, instr(sql, '(')), ' ', ''), char(10), '') AS sql
                        FROM sqlite_schema WHERE tbl_name LIKE 'outbox%' ORDER BY type, name
                        """
                )
                return (columns + others).map { row in
                    "\(row)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
                }
            }
        }
        let new = try schema(of: AppDatabase(path: folder.file("new.sqlite")))
        #expect(new.count > 40)
        #expect(try new == schema(of: fixture()))
    }

    @Test func `what has failed in a file of the first edition is kept from its adding on`() throws {
        let database = try fixture()
        let policy = OutboxPolicy(retention: .seconds(86_400))
        let outbox = try Outbox<Wish>(database: database, name: "letters", policy: policy)
        #expect(try outbox.entries().map(\.identity) == ["waits", "was in work", "is done", "due"])
    }

    @Test func `a file of a newer version is refused, and stays as it is`() throws {
        let database = try AppDatabase(path: folder.file("newer.sqlite"))
        try Outbox<Wish>(database: database, name: "test").add(Wish(text: "x"), identity: "x")
        try database.write("upgrade") {
            try $0.execute(sql: "INSERT INTO schemaStep VALUES ('outbox-17-unknown')")
        }
        // A process of the older version knows nothing of what this one has made.
        let older = try AppDatabase(path: folder.file("newer.sqlite"))
        let failure = #expect(throws: DatabaseFailure.self) {
            try Outbox<Wish>(database: older, name: "test")
        }
        #expect(failure?.code == .newerVersion)
        #expect(failure?.description.contains("outbox-17-unknown") == true)
        let count = try older.read("count") { try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox") }
        #expect(count == 1)
    }

    @Test func `work of an older form is migrated, and work of a newer form waits for the app that knows it`()
        throws
    {
        let database = try AppDatabase(path: ":memory:")
        let first = try Outbox<FirstForm>(database: database, name: "test")
        try first.add(FirstForm(name: "Ada"), identity: "old")
        let second = try Outbox<SecondForm>(database: database, name: "test")
        try second.add(SecondForm(first: "Alan", last: "Turing"), identity: "new")
        #expect(
            try second.entries().map(\.work) == [
                SecondForm(first: "Ada", last: ""), SecondForm(first: "Alan", last: "Turing"),
            ]
        )

        // The older app again: it leaves the new one alone, and goes on with its own.
        let again = try Outbox<FirstForm>(database: database, name: "test")
        #expect(try again.entries().map(\.identity) == ["old"])
        #expect(try again.damages().first?.contains("version 2") == true)
        let claim = try #require(try again.claim())
        #expect(claim.entry.identity == "old")
        #expect(try again.finish(claim, receipt: Data("\"r\"".utf8)) { _ in })
        #expect(try again.claim() == nil)
        let newest = try Outbox<SecondForm>(database: database, name: "test")
        #expect(try newest.claim()?.entry.work == SecondForm(first: "Alan", last: "Turing"))
    }
}

private struct FirstForm: OutboxWork {
    typealias Receipt = String
    var name: String
}

private struct SecondForm: OutboxWork, Equatable {
    typealias Receipt = String
    static let version = 2
    var first: String
    var last: String

    static func migrate(_ stored: Data, from version: Int) throws -> Data {
        let old = try JSONDecoder().decode(FirstForm.self, from: stored)
        return try JSONEncoder().encode(SecondForm(first: old.name, last: ""))
    }
}
