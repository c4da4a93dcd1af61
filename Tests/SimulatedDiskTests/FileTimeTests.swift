import SimulatedDisk
import Simulation
import SimulationTesting
import Testing

@Suite("Times of files", .simulated(seeds: 1...20, stalls: .none))
struct FileTimeTests {
    @Test func `a change sets the time of its file, and a loss of power takes back that of what is lost`()
        async throws
    {
        let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
        let clock = disk.node.clock
        disk.conditions[.lostWrite] = 1
        disk.conditions[.lostEntry] = 1
        let start = clock.time
        try disk.write([1], to: "a")
        try await Task.sleep(for: .seconds(5))
        try disk.sync("a")
        #expect(try disk.read("a") == [1])
        #expect(try disk.modificationTime(of: "a") == start, "a sync and a reading change nothing")
        clock.step(by: .seconds(100))
        try disk.append([2], to: "a")
        #expect(try disk.modificationTime(of: "a") == start + .seconds(105))
        try await Task.sleep(for: .seconds(1))
        try disk.truncate("a", to: 1)
        try disk.rename("a", to: "b")
        #expect(try disk.modificationTime(of: "b") == start + .seconds(106))
        try disk.syncFolder()
        disk.powerOff()
        #expect(throws: DiskError.self) { try disk.modificationTime(of: "b") }
        disk.node.restart()
        #expect(try disk.modificationTime(of: "b") == start)
        disk.conditions[.lostWrite] = 0
        try disk.append([3], to: "b")
        disk.powerOff()
        disk.node.restart()
        #expect(try disk.modificationTime(of: "b") == start + .seconds(106), "what gets through has its time")
        #expect(throws: DiskError.self) { try disk.modificationTime(of: "a") }
    }
}
