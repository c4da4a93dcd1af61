import SimulatedDisk
import Simulation

/// A disk that loses what is not synced, on a node called phone.
private func losingDisk() throws -> SimulatedDisk {
    guard let simulation = Simulation.current else { throw ZooFailure("needs a simulation") }
    let disk = SimulatedDisk(node: simulation.node("phone"))
    disk.conditions = .losingUnsyncedWrites
    return disk
}

/// Whether the power goes now, and comes back.
private func losesPower(_ disk: SimulatedDisk) -> Bool {
    guard Simulation.current?.faultSource("power off phone").fires(probability: 0.3) != nil else {
        return false
    }
    disk.powerOff()
    disk.node.restart()
    return true
}

/// Four bytes, FNV-1a.
private func checksum(_ bytes: [UInt8]) -> [UInt8] {
    let sum = bytes.reduce(2_166_136_261 as UInt32) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
}

extension ZooProgram {
    static let forgottenSync = ZooProgram(
        "forgotten-sync",
        .disk,
        "what was acknowledged was written, but not synced, and is lost with the power"
    ) { isFixed in
        let disk = try losingDisk()
        var acknowledged = 0
        for item in Simulation.work("items", count: 4) {
            try disk.append([UInt8(item)], to: "queue")
            if isFixed { try disk.sync("queue") }
            acknowledged += 1
            if losesPower(disk) { break }
        }
        try expect(
            acknowledged == 0 || disk.size(of: "queue") ?? 0 >= acknowledged,
            "an acknowledged item is lost"
        )
    }

    static let tornRecord = ZooProgram(
        "torn-record",
        .disk,
        "a record that was written in part is taken for whole, since it has no checksum"
    ) { isFixed in
        let disk = try losingDisk()
        let size = 1500
        for item in Simulation.work("records", count: 3) {
            var record = [UInt8](repeating: UInt8(item + 1), count: size - 4)
            record += checksum(record)
            try disk.append(record, to: "log")
            if losesPower(disk) { break }
            try disk.sync("log")
        }
        let log = disk.size(of: "log") == nil ? [] : try disk.read("log")
        for start in stride(from: 0, to: log.count - log.count % size, by: size) {
            let content = Array(log[start..<start + size - 4])
            if isFixed, checksum(content) != Array(log[(start + size - 4)..<(start + size)]) { break }
            try expect(content.allSatisfy { $0 == content.first && $0 != 0 }, "a torn record was read")
        }
    }

    static let renameBeforeSync = ZooProgram(
        "rename-before-sync",
        .disk,
        "a new file is renamed over the old one before its bytes are durable"
    ) { isFixed in
        let disk = try losingDisk()
        let (old, new) = ([UInt8](repeating: 1, count: 600), [UInt8](repeating: 2, count: 600))
        try disk.write(old, to: "settings")
        try disk.sync("settings")
        try disk.write(new, to: "settings.new")
        if isFixed { try disk.sync("settings.new") }
        try disk.rename("settings.new", to: "settings")
        try disk.syncFolder()
        _ = losesPower(disk)
        let found = disk.size(of: "settings") == nil ? [] : try disk.read("settings")
        try expect(found == old || found == new, "both the old and the new file are lost")
    }

    static let sequenceReuse = ZooProgram(
        "sequence-reuse",
        .disk,
        "a sequence number is used before that is durable, and used again after a restart"
    ) { isFixed in
        let disk = try losingDisk()
        var given: [UInt8] = []
        for _ in Simulation.work("numbers", count: 4) {
            let next = (disk.size(of: "last").map { _ in (try? disk.read("last").first ?? 0) ?? 0 } ?? 0) + 1
            try disk.write([next], to: "last")
            if isFixed { try disk.sync("last") }
            given.append(next)
            _ = losesPower(disk)
        }
        try expect(Set(given).count == given.count, "a number was given twice")
    }
}
