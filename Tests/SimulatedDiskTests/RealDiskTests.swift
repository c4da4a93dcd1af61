import Foundation
import GRDB
import SimulatedDisk
import Simulation
import Synchronization
import Testing

@Suite("The simulated disk beside the real one")
struct RealDiskTests {
    /// What an app does: a table, an index, growth, changes, deletions, a vacuum.
    ///
    /// - Parameter look: Called before the log, if there is one, is emptied at the end.
    private func fill(_ path: String, journal: String, look: () throws -> Void = {}) throws {
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
        try look()
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "lenssim-disk-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// A WAL without its random salts and what is computed from them (sqlite.org/fileformat2.html, section 4).
    private static func withoutChance(_ log: [UInt8]) -> [UInt8] {
        guard log.count > 32 else { return log }
        var log = log
        func blank(_ range: Range<Int>) { for index in range where index < log.count { log[index] = 0 } }
        let page = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        blank(16..<32)
        for frame in stride(from: 32, to: log.count, by: 24 + page) { blank(frame + 8..<frame + 24) }
        return log
    }

    @Test
    func
        `the same statements write the same log, byte for byte, and a longer one to a disk without promises`()
        throws
    {
        try withFolder { folder in
            let real = folder.appending(path: "a.sqlite")
            let log = Mutex<[UInt8]>([])
            try fill(real.path, journal: "WAL") {
                let bytes = try Data(contentsOf: folder.appending(path: "a.sqlite-wal"))
                log.withLock { $0 = Array(bytes) }
            }
            let logs = try [true, false].map { isPowersafe in
                try Simulation(seed: 1).run {
                    let simulated = Mutex<[UInt8]>([])
                    let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
                    disk.isPowersafe = isPowersafe
                    try fill(disk.databasePath("a.sqlite"), journal: "WAL") {
                        let bytes = try disk.read("a.sqlite-wal")
                        simulated.withLock { $0 = bytes }
                    }
                    return simulated.withLock { $0 }
                }
            }
            let expected = log.withLock { $0 }
            // Not the arrays themselves: to tell them apart takes minutes, and nobody could read it.
            let (size, sizes) = (expected.count, logs.map(\.count))
            #expect(size > 100_000)
            #expect(sizes[0] == size)
            #expect(sizes[1] > size)
            let isSame = Self.withoutChance(logs[0]) == Self.withoutChance(expected)
            #expect(isSame)
        }
    }

    @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func `the same statements leave the same database, byte for byte`(_ journal: String) throws {
        try withFolder { folder in try compare(journal, in: folder) }
    }

    private func compare(_ journal: String, in folder: URL) throws {
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
