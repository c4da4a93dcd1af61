import Foundation
import GRDB
import SimulatedDisk
import Simulation
import Synchronization
import Testing

@Suite("The simulated disk beside the real one")
struct RealDiskTests {
    /// What an app does: a table, an index, growth, changes, deletions, a vacuum.
    private func fill(_ path: String, journal: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(journal)") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write {
            try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB)")
        }
        try queue.write { try $0.execute(sql: "CREATE INDEX byText ON item (text)") }
        for number in 0..<60 {
            try queue.write { database in
                try database.execute(
                    sql: "INSERT INTO item (text, bytes) VALUES (?, ?)",
                    arguments: [
                        "item \(number * 7919 % 101)", Data(repeating: UInt8(number), count: number * 331),
                    ]
                )
                if number % 5 == 4 {
                    try database.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [number - 2])
                }
            }
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func `the same statements leave the same database, byte for byte`(_ journal: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "lenssim-disk-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let real = folder.appending(path: "a.sqlite")
        try fill(real.path, journal: journal)
        let simulated = Mutex<[UInt8]>([])
        try Simulation(seed: 1).run {
            guard let simulation = Simulation.current else { return }
            let disk = SimulatedDisk(node: simulation.node("phone"))
            try fill(disk.databasePath("a.sqlite"), journal: journal)
            let bytes = try disk.read("a.sqlite")
            simulated.withLock { $0 = bytes }
        }
        #expect(try Data(contentsOf: real) == Data(simulated.withLock { $0 }))
    }
}
