import GRDB
import SimulatedDisk
import Simulation
import Synchronization
import Testing

/// What a life of a node leaves behind is in nobody's way, and does nothing any more.
@Suite("Databases of a dead node")
struct DeadConnectionTests {
    private static func open(_ disk: SimulatedDisk, journal: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(journal)") }
        return try DatabaseQueue(path: disk.databasePath("a.sqlite"), configuration: configuration)
    }

    private static func insert(_ database: DatabaseQueue, _ numbers: ClosedRange<Int>) throws {
        try database.write { db in
            for number in numbers {
                try db.execute(
                    sql: "INSERT INTO item VALUES (?, ?)",
                    arguments: [number, String(repeating: "x", count: 3000)]
                )
            }
        }
    }

    @Test(arguments: ["TRUNCATE", "WAL"], [true, false])
    func `what a step does after the node's end changes nothing, and what it leaves open disturbs nobody`(
        _ journal: String,
        _ losesPower: Bool
    ) throws {
        let leftBehind = Mutex<DatabaseQueue?>(nil)
        let found = try Simulation(seed: 1).run {
            let phone = try #require(Simulation.current).node("phone")
            let disk = SimulatedDisk(node: phone)
            await #expect(throws: NodeCrashed.self) {
                try await phone.run {
                    let database = try Self.open(disk, journal: journal)
                    try database.write {
                        try $0.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT)")
                    }
                    try Self.insert(database, 1...20)
                    leftBehind.withLock { $0 = database }
                    try database.writeWithoutTransaction { db in
                        try db.execute(sql: "BEGIN IMMEDIATE")
                        try db.execute(sql: "UPDATE item SET text = 'lost'")
                    }
                    if losesPower { phone.powerOff() } else { phone.crash() }
                    // This step goes on to its next suspension.
                    let changes = disk.changes
                    #expect(throws: DatabaseError.self) {
                        try database.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
                    }
                    #expect(throws: DatabaseError.self) { try Self.open(disk, journal: journal) }
                    #expect(disk.changes == changes)
                }
            }
            phone.restart()
            return try await phone.run {
                let database = try Self.open(disk, journal: journal)
                try Self.insert(database, 21...40)
                // The connection of the first life rolls back what it had begun.
                leftBehind.withLock { $0 = nil }
                try Self.insert(database, 41...60)
                return try database.read { db in
                    try String.fetchAll(db, sql: "PRAGMA integrity_check")
                        + [
                            String(
                                try Int.fetchOne(db, sql: "SELECT count(*) FROM item WHERE text <> 'lost'")
                                    ?? 0
                            )
                        ]
                }
            }
        }
        #expect(found == ["ok", "60"])
    }

    @Test func `a connection of an earlier life takes no lock from one of a later`() throws {
        let found = try Simulation(seed: 1).run {
            let phone = try #require(Simulation.current).node("phone")
            let disk = SimulatedDisk(node: phone)
            func read(_ database: DatabaseQueue) throws {
                try database.writeWithoutTransaction { db in
                    try db.execute(sql: "BEGIN")
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM item")
                }
            }
            func insert(_ database: DatabaseQueue) throws {
                try database.write { try $0.execute(sql: "INSERT INTO item VALUES (NULL, 'x')") }
            }
            var first: DatabaseQueue? = try Self.open(disk, journal: "TRUNCATE")
            try first?.write { try $0.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT)") }
            if let first { try read(first) }
            phone.crash()
            phone.restart()
            let reader = try Self.open(disk, journal: "TRUNCATE")
            let writer = try Self.open(disk, journal: "TRUNCATE")
            try read(reader)
            // Releases its lock, which has no effect any more.
            first = nil
            let error = #expect(throws: DatabaseError.self) { try insert(writer) }
            try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try insert(writer)
            return error?.resultCode
        }
        #expect(found == .SQLITE_BUSY)
    }
}
