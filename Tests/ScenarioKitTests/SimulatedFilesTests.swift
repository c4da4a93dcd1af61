import Files
import Foundation
import ScenarioKit
import SimulatedDisk
import Simulation
import Testing

@Suite("Files on a simulated phone")
struct SimulatedFilesTests {
    private static let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private static func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
        disk.conditions = .losingUnsyncedWrites
        disk.conditions[.lostEntry] = 0.7
        return disk
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a file is whole or absent after a loss of power at any change, and there once it was created`(
        _ change: UInt64
    ) throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                let disk = try Self.makeDisk()
                let folder = FileFolder(path: "photos", on: SimulatedFiles(disk: disk))
                disk.powerOff(atChange: change)
                let wasCreated = (try? folder.create("a", bytes: Self.bytes)) != nil
                #expect(wasCreated == (change == 6), "a file is created by five changes")
                disk.powerOff()
                disk.node.restart()
                let found = folder.contains("a") ? try folder.read("a", upTo: Self.bytes.count) : nil
                if wasCreated { #expect(found == Self.bytes) }
                if let found { #expect(found == Self.bytes) }
            }
        }
    }

    @Test func `a file that was removed stays away`() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                let disk = try Self.makeDisk()
                let folder = FileFolder(path: "photos", on: SimulatedFiles(disk: disk))
                try folder.create("a", bytes: Self.bytes)
                try folder.create("b", bytes: [])
                try folder.remove("a")
                try folder.remove("a")
                disk.powerOff()
                disk.node.restart()
                #expect(folder.names() == ["b"])
            }
        }
    }

    @Test func `a file has the time of its last change, by the clock of its phone`() throws {
        try Simulation(seed: 1).run {
            let simulation = try #require(Simulation.current)
            let phone = simulation.node("phone")
            let disk = SimulatedDisk(node: phone)
            let folder = FileFolder(path: "photos", on: SimulatedFiles(disk: disk))
            let start = Date()
            try folder.create("a", bytes: [1])
            #expect(try folder.modificationTime(of: "a") == start)
            phone.clock.step(by: .seconds(3600))
            try folder.create("b", bytes: [1])
            #expect(try folder.modificationTime(of: "b") == start.addingTimeInterval(3600))
            #expect(try folder.modificationTime(of: "a") == start)
            let failure = #expect(throws: FileFailure.self) { try folder.modificationTime(of: "c") }
            #expect(failure?.code == .missing)
        }
    }

    @Test func `what the disk says reaches the app in its own words`() throws {
        try Simulation(seed: 1).run {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            let folder = FileFolder(path: "photos", on: SimulatedFiles(disk: disk))
            func code(_ work: () throws -> Void) -> FileFailure.Code? {
                #expect(throws: FileFailure.self, performing: work)?.code
            }
            #expect(code { _ = try folder.read("a", upTo: 9) } == .missing)
            disk.capacity = 2
            #expect(code { try folder.create("a", bytes: [1, 2, 3]) } == .full)
            #expect(folder.names().isEmpty)
            disk.capacity = nil
            try folder.create("a", bytes: [1, 2, 3])
            #expect(code { _ = try folder.read("a", upTo: 2) } == .tooLarge)
            #expect(code { try folder.create("a", bytes: []) } == .alreadyExists)
            disk.conditions[.readError] = 1
            #expect(code { _ = try folder.read("a", upTo: 9) } == .disk)
            disk.node.crash()
            #expect(code { try folder.create("b", bytes: []) } == .disk)
        }
    }
}
