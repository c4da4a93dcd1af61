import SimulatedDisk
import Simulation
import SimulationTesting
import Synchronization
import Testing

/// A disk of a node called phone, in the current simulation.
private func makeDisk() throws -> SimulatedDisk {
    SimulatedDisk(node: try #require(Simulation.current).node("phone"))
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("Simulated disk", .simulated(seeds: 1...20))
struct DiskTests {
    @Test func `what is written is read again, also after a crash of the process`() throws {
        let disk = try makeDisk()
        try disk.write(bytes("hello"), to: "a")
        try disk.append(bytes(" world"), to: "a")
        disk.node.crash()
        disk.node.restart()
        #expect(try disk.read("a") == bytes("hello world"))
        #expect(disk.usedBytes == 11)
        try disk.truncate("a", to: 5)
        try disk.rename("a", to: "b")
        #expect(disk.names == ["b"])
        #expect(try disk.read("b") == bytes("hello"))
        try disk.remove("b")
        #expect(disk.names.isEmpty)
        #expect(disk.usedBytes == 5, "the room of a removed file is free once its removal is durable")
        try disk.syncFolder()
        #expect(disk.usedBytes == 0)
    }

    @Test func `what was synced survives every loss of power`() throws {
        let disk = try makeDisk()
        disk.conditions = .losingUnsyncedWrites
        try disk.write([UInt8](repeating: 7, count: 5000), to: "a")
        try disk.sync("a")
        disk.powerOff()
        disk.node.restart()
        #expect(try disk.read("a") == [UInt8](repeating: 7, count: 5000))
        #expect(disk.unsyncedBytes == 0)
    }

    @Test func `a file that is gone gives an error that says what was tried, on what, and what came back`()
        throws
    {
        let disk = try makeDisk()
        let error = #expect(throws: DiskError.self) { try disk.read("nothing") }
        #expect(error?.code == .notFound)
        #expect(error?.description == "read nothing on the disk of phone: there is no such file")
    }

    @Test func `a full disk refuses what does not fit, and keeps what is there`() throws {
        let disk = try makeDisk()
        disk.capacity = 10
        try disk.write(bytes("12345678"), to: "a")
        let error = #expect(throws: DiskError.self) { try disk.append(bytes("123"), to: "a") }
        #expect(error?.code == .noSpace)
        #expect(try disk.read("a") == bytes("12345678"))
        try disk.append(bytes("90"), to: "a")
        try disk.remove("a")
        try disk.write(bytes("1234567890"), to: "b")
        #expect(disk.usedBytes == 10)
    }

    @Test func `the power goes at the change that was named, and what was open fails from then on`() throws {
        let disk = try makeDisk()
        disk.powerOff(atChange: 2)
        try disk.write(bytes("1"), to: "a")
        let error = #expect(throws: DiskError.self) { try disk.write(bytes("2"), to: "b") }
        #expect(error?.code == .nodeDown)
        #expect(!disk.node.isAlive)
    }

    @Test func `a slow sync lets virtual time pass`() throws {
        let disk = try makeDisk()
        disk.conditions[.slowSync] = 1
        disk.conditions.slowSyncTime = .seconds(3)
        try disk.write(bytes("1"), to: "a")
        let before = try #require(Simulation.current).now
        try disk.sync("a")
        #expect(try #require(Simulation.current).now - before == .seconds(3))
        try disk.syncFolder()
        #expect(try #require(Simulation.current).now - before == .seconds(6))
    }

    @Test func `a failed sync of the folder makes nothing durable, and a second one does`() throws {
        let disk = try makeDisk()
        disk.conditions[.lostEntry] = 1
        for isSynced in [false, true] {
            try disk.write(bytes("1"), to: "a")
            disk.conditions[.syncError] = 1
            #expect(throws: DiskError.self) { try disk.syncFolder() }
            disk.conditions[.syncError] = 0
            if isSynced { try disk.syncFolder() }
            disk.powerOff()
            disk.node.restart()
            #expect(disk.names == (isSynced ? ["a"] : []))
        }
    }

    @Test func `an ignored sync of the folder makes nothing durable, and says that it has`() throws {
        let disk = try makeDisk()
        disk.conditions[.lostEntry] = 1
        disk.conditions[.ignoredSync] = 1
        try disk.write(bytes("1"), to: "a")
        try disk.syncFolder()
        disk.powerOff()
        disk.node.restart()
        #expect(disk.names.isEmpty)
    }

    @Test func `when a new name is lost, the file that it replaced is there again`() throws {
        let disk = try makeDisk()
        disk.conditions[.lostEntry] = 1
        for name in ["a", "new"] {
            try disk.write(bytes(name), to: name)
            try disk.sync(name)
        }
        try disk.rename("new", to: "a")
        #expect(try disk.read("a") == bytes("new"))
        disk.powerOff()
        disk.node.restart()
        #expect(disk.names.sorted() == ["a", "new"])
        #expect(try disk.read("a") == bytes("a"))
        #expect(try disk.read("new") == bytes("new"))
    }

    @Test func `a bit that has flipped stays flipped, also after a loss of power`() throws {
        let disk = try makeDisk()
        try disk.write(bytes("hello"), to: "a")
        try disk.sync("a")
        disk.conditions[.bitFlip] = 1
        let flipped = try disk.read("a")
        #expect(flipped != bytes("hello"))
        disk.conditions[.bitFlip] = 0
        disk.powerOff()
        disk.node.restart()
        #expect(try disk.read("a") == flipped)
    }

    @Test func `healing ends all faults`() throws {
        let disk = try makeDisk()
        disk.conditions[.writeError] = 1
        disk.capacity = 0
        disk.powerOff(atChange: 1)
        #expect(throws: DiskError.self) { try disk.write(bytes("1"), to: "a") }
        Simulation.current?.heal()
        try disk.write(bytes("1"), to: "a")
        #expect(disk.node.isAlive)
    }

    @Test func `a power cut after a crash takes what the dead process had not synced`() throws {
        let disk = try makeDisk()
        disk.conditions[.lostWrite] = 1
        try disk.write(bytes("1"), to: "a")
        disk.node.crash()
        disk.powerOff()
        disk.node.restart()
        #expect(disk.size(of: "a") == 0)
    }

    @Test func `from a crash to the restart nobody reaches the disk`() throws {
        for end in [{ $0.powerOff() }, { $0.crash() }] as [(Node) -> Void] {
            let simulation = try #require(Simulation.current)
            let device = SimulatedDisk(node: simulation.node("node \(simulation.nodeNames.count)"))
            try device.write(bytes("1"), to: "a")
            try device.sync("a")
            end(device.node)
            let changes = device.changes
            let attempts: [() throws -> Void] = [
                { try device.write(bytes("2"), to: "a") }, { _ = try device.read("a") },
                { try device.truncate("a", to: 0) }, { try device.sync("a") }, { try device.syncFolder() },
                { try device.rename("a", to: "b") }, { try device.remove("a") },
                { try device.append(bytes("2"), to: "b") },
            ]
            for attempt in attempts {
                let error = #expect(throws: DiskError.self) { try attempt() }
                #expect(error?.code == .nodeDown)
            }
            #expect(device.changes == changes)
            device.node.restart()
            #expect(device.names == ["a"])
            #expect(try device.read("a") == bytes("1"))
        }
    }

    @Test func `a size that no file can have is an error`() throws {
        let disk = try makeDisk()
        try disk.write(bytes("1"), to: "a")
        let attempts: [() throws -> Void] = [
            { try disk.write(bytes("2"), to: "a", at: 1 << 50) },
            { try disk.write(bytes("2"), to: "a", at: .max) },
            { try disk.truncate("a", to: .max) },
        ]
        for attempt in attempts {
            let error = #expect(throws: DiskError.self) { try attempt() }
            #expect(error?.code == .tooLarge)
        }
        disk.capacity = 10
        let error = #expect(throws: DiskError.self) { try disk.truncate("a", to: 11) }
        #expect(error?.code == .noSpace)
        try disk.write([], to: "a", at: 100)
        #expect(try disk.read("a") == bytes("1"))
    }

    @Test func `of a torn write any sectors get through`() throws {
        let disk = try makeDisk()
        disk.conditions[.tornWrite] = 1
        var patterns: Set<[Bool]> = []
        for number in 0..<200 {
            try disk.write([UInt8](repeating: 0, count: 1536), to: "\(number)")
            try disk.sync("\(number)")
            try disk.write([UInt8](repeating: 1, count: 1536), to: "\(number)")
        }
        disk.powerOff()
        disk.node.restart()
        for number in 0..<200 {
            let found = try disk.read("\(number)")
            for start in stride(from: 0, to: 1536, by: 512) {
                #expect(Set(found[start..<start + 512]).count == 1, "a sector is whole")
            }
            patterns.insert([found[0], found[512], found[1024]].map { $0 == 1 })
        }
        #expect(patterns.count == 8)
    }

    @Test func `a write that begins within a sector tears at the borders of the disk's sectors`() throws {
        let disk = try makeDisk()
        disk.conditions[.tornWrite] = 1
        var patterns: Set<[Bool]> = []
        for number in 0..<200 {
            try disk.write([UInt8](repeating: 0, count: 1536), to: "\(number)")
            try disk.sync("\(number)")
            try disk.write([UInt8](repeating: 1, count: 1200), to: "\(number)", at: 100)
        }
        disk.powerOff()
        disk.node.restart()
        for number in 0..<200 {
            let found = try disk.read("\(number)")
            #expect(Set(found[..<100] + found[1300...]) == [0], "bytes beside the write are left alone")
            let parts = [found[100..<512], found[512..<1024], found[1024..<1300]]
            for part in parts { #expect(Set(part).count == 1, "a sector is whole") }
            patterns.insert(parts.map { $0.first == 1 })
        }
        #expect(patterns.count == 8)
    }

    @Test func `however much was written, nothing of it is durable before a sync`() throws {
        let disk = try makeDisk()
        disk.conditions[.lostWrite] = 1
        for _ in 0..<20_000 { try disk.append(bytes("x"), to: "a") }
        #expect(disk.unsyncedBytes == 20_000)
        disk.powerOff()
        disk.node.restart()
        #expect(disk.size(of: "a") == 0)
    }
}

@Suite("One disk for each node", .timeLimit(.minutes(10)))
struct LiveDiskOwnerTests {
    @Test func `a second disk on one node is refused`() async {
        await #expect(processExitsWith: .failure) {
            try Simulation(seed: 1).run {
                guard let node = Simulation.current?.node("phone") else { return }
                _ = (SimulatedDisk(node: node), SimulatedDisk(node: node))
            }
        }
    }

    @Test func `a fault source of a disk is nobody else's`() async {
        await #expect(processExitsWith: .failure) {
            try Simulation(seed: 1).run {
                guard let simulation = Simulation.current else { return }
                _ = SimulatedDisk(node: simulation.node("phone"))
                _ = simulation.faultSource("lost write phone")
            }
        }
    }
}

/// For every fault a small system that is broken in the way that the fault reveals: caught over some seeds with the
/// fault, over none without.
@Suite("Canaries of the disk's faults")
struct DiskCanaryTests {
    private struct Canary: Sendable, CustomTestStringConvertible {
        var fault: DiskFault
        var probability = 0.5
        /// Whether the system is caught.
        var isCaught: @Sendable (SimulatedDisk) async throws -> Bool
        var testDescription: String { fault.rawValue }
    }

    private static func afterPowerOff<Value>(_ disk: SimulatedDisk, _ look: (SimulatedDisk) throws -> Value)
        throws -> Value
    {
        disk.powerOff()
        disk.node.restart()
        return try look(disk)
    }

    private static let canaries: [Canary] = [
        // Trusts that a write that came back is there after a loss of power.
        Canary(fault: .lostWrite) { disk in
            try disk.write(bytes("x"), to: "a")
            try disk.syncFolder()
            return try afterPowerOff(disk) { try $0.read("a") != bytes("x") }
        },
        // Trusts that a write is whole or not there at all.
        Canary(fault: .tornWrite) { disk in
            let old = [UInt8](repeating: 1, count: 4096)
            let new = [UInt8](repeating: 2, count: 4096)
            try disk.write(old, to: "a")
            try disk.sync("a")
            try disk.write(new, to: "a")
            return try afterPowerOff(disk) { disk in
                let found = try disk.read("a")
                return found != old && found != new
            }
        },
        // Renames a synced file into place, and trusts that it has its name.
        Canary(fault: .lostEntry) { disk in
            try disk.write(bytes("x"), to: "new")
            try disk.sync("new")
            try disk.rename("new", to: "a")
            return try afterPowerOff(disk) { $0.size(of: "a") == nil }
        },
        // Trusts that a sync that came back has done something.
        Canary(fault: .ignoredSync) { disk in
            disk.conditions[.lostWrite] = 1
            try disk.write(bytes("x"), to: "a")
            try disk.syncFolder()
            try disk.sync("a")
            return try afterPowerOff(disk) { ($0.size(of: "a") ?? 0) == 0 }
        },
        // Tries a failed sync again, and believes the second.
        Canary(fault: .syncError) { disk in
            try disk.write(bytes("x"), to: "a")
            do { try disk.sync("a") } catch {
                disk.conditions[.syncError] = 0
                try disk.sync("a")
            }
            return try afterPowerOff(disk) { ($0.size(of: "a") ?? 0) == 0 }
        },
        // Takes a failed read for an empty file.
        Canary(fault: .readError) { disk in
            try disk.write(bytes("x"), to: "a")
            return ((try? disk.read("a")) ?? []).isEmpty
        },
        // Counts an entry before it is written.
        Canary(fault: .writeError) { disk in
            var count = 0
            for _ in 0..<4 {
                count += 1
                try? disk.append(bytes("x"), to: "a")
            }
            return count != disk.size(of: "a") ?? 0
        },
        // The same, for a disk without room.
        Canary(fault: .noSpace) { disk in
            var count = 0
            for _ in 0..<4 {
                count += 1
                try? disk.append(bytes("x"), to: "a")
            }
            return count != disk.size(of: "a") ?? 0
        },
        // Keeps no checksum, and takes for an account what it reads.
        Canary(fault: .bitFlip) { disk in
            try withdraw(from: disk, verifying: { _ in true })
        },
        // A member that sends nothing for half a second is taken for dead.
        Canary(fault: .slowSync) { disk in
            try await isKilled(byAWatchdogOf: .milliseconds(500), disk)
        },
    ]

    /// Counts an account of ten down to nothing, from what is on the disk each time.
    ///
    /// - Returns: Whether somebody got more or less than ten.
    private static func withdraw(
        from disk: SimulatedDisk,
        verifying isSound: ([UInt8]) -> Bool
    ) throws -> Bool {
        func record(_ balance: UInt8) -> [UInt8] { [balance, ~balance] }
        try disk.write(record(10), to: "account")
        var paid = 0
        while true {
            let found = try disk.read("account")
            // Who notices asks a person, and pays nothing.
            guard isSound(found) else { return false }
            guard found[0] > 0, paid < 100 else { return paid != 10 }
            try disk.write(record(found[0] - 1), to: "account")
            paid += 1
        }
    }

    private final class SignOfLife: Sendable {
        let time = Mutex(Duration.zero)
    }

    /// Lets a healthy program write and sync, and give a sign of life each time.
    ///
    /// - Returns: Whether a watchdog finds none for so long, and would end it.
    private static func isKilled(byAWatchdogOf time: Duration, _ disk: SimulatedDisk) async throws -> Bool {
        let simulation = try #require(Simulation.current)
        let sign = SignOfLife()
        disk.node.start {
            while !Task.isCancelled {
                sign.time.withLock { $0 = simulation.now }
                guard (try? disk.append(bytes("x"), to: "log")) != nil else { return }
                guard (try? disk.sync("log")) != nil else { return }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(100))
            if simulation.now - sign.time.withLock({ $0 }) > time { return true }
        }
        return false
    }

    @Test func `who keeps a checksum, or is patient, is not caught`() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            let caught = try Simulation(seed: seed).run {
                let disk = try makeDisk()
                disk.conditions[.bitFlip] = 0.5
                disk.conditions[.slowSync] = 0.5
                let isFooled = try Self.withdraw(from: disk, verifying: { $0[0] == ~$0[1] })
                return try await [isFooled, Self.isKilled(byAWatchdogOf: .milliseconds(1500), disk)]
            }
            #expect(caught == [false, false])
        }
    }

    private func catches(_ canary: Canary, probability: Double) throws -> Int {
        try (1...40 as ClosedRange<UInt64>).count { seed in
            try Simulation(seed: seed).run {
                let disk = try makeDisk()
                disk.conditions[canary.fault] = probability
                return try await canary.isCaught(disk)
            }
        }
    }

    @Test(arguments: DiskFault.allCases)
    func `each fault catches its canary, and only the fault does`(_ fault: DiskFault) throws {
        let canary = try #require(Self.canaries.first { $0.fault == fault })
        #expect(try catches(canary, probability: canary.probability) > 0)
        #expect(try catches(canary, probability: 0) == 0)
    }

    @Test func `a loss of power is the same again from its firings, and harmless without them`() throws {
        @Sendable func body() async throws -> [UInt8] {
            let disk = try makeDisk()
            disk.conditions = .losingUnsyncedWrites
            for number in 0..<20 as Range<UInt8> {
                try disk.append([UInt8](repeating: number, count: 700), to: "a")
            }
            try disk.syncFolder()
            return try Self.afterPowerOff(disk) { try $0.read("a") }
        }
        for seed in 1...20 as ClosedRange<UInt64> {
            let (found, report) = try Simulation(seed: seed).runReporting(body)
            var replaying = Simulation.Configuration()
            replaying.faults = .only(Set(report.firings))
            #expect(try Simulation(seed: seed, configuration: replaying).run(body) == found)
            replaying.faults = .none
            #expect(try Simulation(seed: seed, configuration: replaying).run(body).count == 14_000)
        }
    }
}
