import AppKernel
import Foundation
import GRDB
import GRDBSQLite
import Testing

/// What the commonest calls cost, in steps of SQLite's virtual machine, which are the same on every machine.
@Suite("Outbox: what a call costs")
struct OutboxEffortTests {
    private let database: AppDatabase
    private let outbox: Outbox<Wish>

    init() throws {
        database = try AppDatabase(path: ":memory:")
        outbox = try Outbox(database: database, name: "test")
    }

    private func add(_ numbers: Range<Int>) throws {
        try database.write("add work") { database in
            for number in numbers {
                try outbox.add(Wish(text: "x"), identity: "\(number)", in: database)
            }
        }
    }

    /// The steps of all statements since they were last asked for (sqlite.org/c3ref/c_stmtstatus_counter.html).
    private func steps() throws -> Int {
        try database.read("count steps") { database in
            var count = 0
            var statement: OpaquePointer? = unsafe sqlite3_next_stmt(database.sqliteConnection, nil)
            while let found = unsafe statement {
                count += Int(unsafe sqlite3_stmt_status(found, SQLITE_STMTSTATUS_VM_STEP, 1))
                unsafe statement = unsafe sqlite3_next_stmt(database.sqliteConnection, found)
            }
            return count
        }
    }

    private func cost(_ body: () throws -> Void) throws -> Int {
        _ = try steps()
        try body()
        return try steps()
    }

    /// Takes an entry and finishes it, and adds another.
    private func turn(_ number: Int) throws -> (claim: Int, finish: Int, add: Int) {
        var claim: OutboxClaim<Wish>?
        let claiming = try cost { claim = try outbox.claim() }
        let claimed = try #require(claim)
        let finishing = try cost {
            let isValid = try outbox.finish(claimed, receipt: Data("\"done\"".utf8)) { _ in }
            #expect(isValid)
        }
        return (claiming, finishing, try cost { try outbox.add(Wish(text: "x"), identity: "\(number)") })
    }

    @Test func `taking, finishing and adding cost no more where two thousand wait than where ten do`()
        throws
    {
        try add(0..<10)
        _ = try turn(100_000)
        let few = try turn(100_001)
        try add(10..<2_000)
        let many = try turn(100_002)
        #expect(few.claim > 0 && few.finish > 0 && few.add > 0)
        #expect(many == few)
    }

    @Test func `new work is added by one statement`() throws {
        try add(0..<2)
        let before = try runs()
        try outbox.add(Wish(text: "x"), identity: "new")
        let after = try runs()
        let run = after.filter { before[$0.key] != $0.value }
        #expect(run.count == 1 && run.keys.first?.hasPrefix("INSERT") == true, "\(run.keys)")
    }

    /// How often each statement that is kept prepared has run.
    private func runs() throws -> [String: Int] {
        try database.read("count runs") { database in
            var runs: [String: Int] = [:]
            var statement: OpaquePointer? = unsafe sqlite3_next_stmt(database.sqliteConnection, nil)
            while let found = unsafe statement {
                let sql = unsafe sqlite3_sql(found).map { unsafe String(cString: $0) } ?? ""
                runs[sql] = Int(unsafe sqlite3_stmt_status(found, SQLITE_STMTSTATUS_RUN, 0))
                unsafe statement = unsafe sqlite3_next_stmt(database.sqliteConnection, found)
            }
            return runs
        }
    }
}
