import SimulatedDisk
import Simulation
import Testing

// What the landing article of SimulatedDisk shows, word for word; a house rule compares them.

@Test func `what was synced outlives a loss of power, and the rest does not`() throws {
    try Simulation(seed: 7).run {
        let phone = try #require(Simulation.current).node("phone")
        let disk = SimulatedDisk(node: phone)
        disk.conditions[.lostEntry] = 1
        try disk.write([1, 2, 3], to: "kept")
        try disk.sync("kept")
        try disk.syncFolder()
        try disk.write([4, 5, 6], to: "lost")
        disk.powerOff()
        phone.restart()
        #expect(disk.names == ["kept"])
        #expect(try disk.read("kept") == [1, 2, 3])
    }
}
