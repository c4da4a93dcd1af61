import GRDB
import SimulatedDisk
import Simulation
import Testing

@Suite("Databases that wait for a lock")
struct ContentionTests {
    @Test(arguments: ["DELETE", "WAL"])
    func `a busy timeout takes virtual time, and is no escape`(_ journal: String) throws {
        let (code, report) = try Simulation(seed: 1).runReporting {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            func open(_ mode: Database.BusyMode) throws -> DatabaseQueue {
                var configuration = Configuration()
                configuration.busyMode = mode
                configuration.allowsUnsafeTransactions = true
                configuration.prepareDatabase { database in
                    _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = \(journal)")
                }
                return try DatabaseQueue(path: disk.databasePath("a.sqlite"), configuration: configuration)
            }
            let holder = try open(.immediateError)
            try holder.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY)") }
            let waiting = try open(.timeout(5))
            try holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let error = #expect(throws: DatabaseError.self) {
                try waiting.write { try $0.execute(sql: "INSERT INTO item VALUES (1)") }
            }
            try holder.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try waiting.write { try $0.execute(sql: "INSERT INTO item VALUES (1)") }
            return error?.resultCode
        }
        #expect(code == .SQLITE_BUSY)
        #expect(report.time == .seconds(5))
        #expect(report.escapes.isEmpty)
    }

    @Test func `nobody reads while a writer has the file to itself`() throws {
        let codes = try Simulation(seed: 1).run {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let path = disk.databasePath("a.sqlite")
            let writer = try DatabaseQueue(path: path, configuration: configuration)
            try writer.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY)") }
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            func count() throws -> Int? {
                try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") }
            }
            try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
            let error = #expect(throws: DatabaseError.self) { try count() }
            try writer.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            #expect(try count() == 0)
            return error?.resultCode
        }
        #expect(codes == .SQLITE_BUSY)
    }
}
