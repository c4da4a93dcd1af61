import AppKernel
import GRDB
import SimulatedDisk
import Simulation
import Synchronization
import TestSupport
import Testing

@Suite("Durability of a database")
struct DurabilityTests {
    private static let table = SchemaStep(
        "part",
        sql: "CREATE TABLE part (number INTEGER, part INTEGER, text TEXT)"
    )

    /// What is there after a restart.
    private enum Found: Hashable {
        /// All that was written.
        case everything
        /// Whole transactions, without one or more of the last.
        case withoutTheLast
        /// Neither, or no database.
        case torn
    }

    /// Writes transactions of three rows, in files that are closed and opened again, until the process ends at one of the disk's changes.
    private static func write(
        _ durability: Durability,
        seed: UInt64,
        _ conditions: DiskConditions
    ) throws -> Found {
        try Simulation(seed: seed).run {
            let phone = try #require(Simulation.current).node("phone")
            let disk = SimulatedDisk(node: phone)
            let path = disk.databasePath("app.sqlite")
            try await phone.run {
                let database = try AppDatabase(path: path, durability: durability)
                try database.apply([table])
                try database.close()
            }
            disk.conditions = conditions
            disk.powerOff(atChange: .random(in: 1...90))
            let written = Mutex(0)
            try? await phone.run {
                for first in stride(from: 1, to: 12, by: 4) {
                    let database = try AppDatabase(path: path, durability: durability)
                    for number in first..<first + 4 {
                        try database.write("write a transaction") { database in
                            for part in 0..<3 {
                                let text = String(repeating: "\(number) ", count: 700)
                                try database.execute(
                                    sql: "INSERT INTO part VALUES (?, ?, ?)",
                                    arguments: [number, part, text]
                                )
                            }
                        }
                        written.withLock { $0 = number }
                    }
                    // Writes the log back.
                    try database.close()
                }
            }
            phone.crash()
            disk.conditions = DiskConditions()
            disk.keepPower()
            phone.restart()
            return try await phone.run { examine(path, durability, written: written.withLock { $0 }) }
        }
    }

    private static func examine(_ path: String, _ durability: Durability, written: Int) -> Found {
        do {
            let database = try AppDatabase(path: path, durability: durability)
            let (verdict, numbers) = try database.read("examine") { database in
                (
                    try String.fetchAll(database, sql: "PRAGMA integrity_check"),
                    try Int.fetchAll(database, sql: "SELECT number FROM part ORDER BY number, part")
                )
            }
            let last = numbers.last ?? 0
            let whole = (0..<last).flatMap { [$0 + 1, $0 + 1, $0 + 1] }
            guard verdict == ["ok"], numbers == whole, last <= written + 1 else { return .torn }
            return last >= written ? .everything : .withoutTheLast
        } catch { return .torn }
    }

    private static func found(
        _ durability: Durability,
        _ conditions: DiskConditions = .losingUnsyncedWrites
    ) throws -> [Found: Int] {
        try (1...200 as ClosedRange<UInt64>).reduce(into: [:]) { counts, seed in
            counts[try write(durability, seed: seed, conditions), default: 0] += 1
        }
    }

    @Test func `a full durability loses nothing when the power goes`() throws {
        #expect(try Self.found(.full) == [.everything: 200])
    }

    @Test func `a normal durability may lose the last transactions when the power goes, and tears none`()
        throws
    {
        let found = try Self.found(.normal)
        #expect(found[.withoutTheLast, default: 0] > 20, "\(found)")
        #expect(found[.torn] == nil, "\(found)")
    }

    @Test func `a normal durability loses nothing when the process ends`() throws {
        #expect(try Self.found(.normal, DiskConditions()) == [.everything: 200])
    }

    @Test(arguments: Durability.allCases)
    func `a disk that ignores syncs loses transactions or tears them`(_ durability: Durability) throws {
        var ignoring = DiskConditions.losingUnsyncedWrites
        ignoring[.ignoredSync] = 1
        let found = try Self.found(durability, ignoring)
        #expect(found[.torn, default: 0] > 0 && found[.withoutTheLast, default: 0] > 0, "\(found)")
    }

    @Test func `a file has another durability each time that it is opened`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        for (durability, expected) in [
            (.normal, "wal 1 4000"), (.full, "truncate 2 1000"), (.normal, "wal 1 4000"),
        ] as [(Durability, String)] {
            let database = try AppDatabase(path: path, durability: durability)
            let modes = try database.read("ask") { database in
                try ["journal_mode", "synchronous", "wal_autocheckpoint"].map { name in
                    try Row.fetchOne(database, sql: "PRAGMA \(name)").map { "\($0[0] as DatabaseValue)" }
                        ?? ""
                }
            }
            #expect(modes.map { $0.filter { $0 != "\"" } }.joined(separator: " ") == expected)
            try database.apply([Self.table])
            try database.write("add") { try $0.execute(sql: "INSERT INTO part VALUES (1, 1, '')") }
            try database.close()
        }
        let count = try AppDatabase(path: path).read("count") { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM part")
        }
        #expect(count == 3)
    }
}
