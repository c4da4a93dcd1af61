import FileStorage
import Files
import ScenarioKit
import Services
import SimulatedDisk
import Simulation
import TestSupport
import Testing

@Suite("Objects in a folder under power cuts and on full disks")
struct PowerCutTests {
    private static let key = ObjectKey("photos/1.jpg")
    private static let moved = ObjectKey("b")

    /// What there may be under both keys: the first byte, the size and the type.
    private typealias Content = [String]

    private typealias Change = @Sendable (FileObjectStore) async throws(ObjectStoreError) -> Void

    private static func put(_ byte: UInt8, _ count: Int, _ type: String) -> Change {
        { store throws(ObjectStoreError) in
            let bytes = [UInt8](repeating: byte, count: count)
            try await store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: type, condition: .any),
                report: nil
            )
        }
    }

    private static let changes: [(Content, Change)] = [
        (["1 300 a/a", "nothing"], put(1, 300, "a/a")),
        // Of equal length: the records differ in the digest alone.
        (["2 300 b/b", "nothing"], put(2, 300, "b/b")),
        (["3 300000 c/c", "nothing"], put(3, 300_000, "c/c")),
        (
            ["nothing", "3 300000 c/c"],
            { store throws(ObjectStoreError) in try await store.move(key, to: moved) }
        ),
        (
            ["3 300000 c/c", "3 300000 c/c"],
            { store throws(ObjectStoreError) in try await store.copy(moved, to: key) }
        ),
        (["nothing", "3 300000 c/c"], { store throws(ObjectStoreError) in try await store.remove(key) }),
    ]

    private static func found(_ store: FileObjectStore) async throws -> Content {
        var content: Content = []
        for key in [key, moved] {
            guard let info = try await store.info(key) else {
                content.append("nothing")
                continue
            }
            let bytes = try await store.get(key, upTo: 1 << 20)
            let isWhole = Set(bytes).count == 1 && bytes.count == info.size
            content.append(isWhole ? "\(bytes[0]) \(bytes.count) \(info.contentType)" : "a mix")
        }
        return content
    }

    private struct Mixed: Error { var found: Content }

    /// Cuts the power at one change of the disk, and returns whether it was before the last change was done.
    private static func cut(at moment: UInt64, ignoringSyncs: Bool = false) throws -> Bool {
        try Simulation(seed: moment).run {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            disk.conditions = .losingUnsyncedWrites
            disk.conditions[.lostEntry] = 0.7
            if ignoringSyncs { disk.conditions[.ignoredSync] = 1 }
            let files = SimulatedFiles(disk: disk)
            let store = try FileObjectStore(path: "objects", on: files)
            disk.powerOff(atChange: moment)
            var (done, begun): (Content, Content) = (["nothing", "nothing"], ["nothing", "nothing"])
            var wasCut = false
            for (effect, change) in changes where !wasCut {
                begun = effect
                do throws(ObjectStoreError) {
                    try await change(store)
                    done = begun
                } catch { wasCut = true }
            }
            disk.keepPower()
            disk.powerOff()
            disk.node.restart()
            let reopened = try FileObjectStore(path: "objects", on: files)
            let found = try await found(reopened)
            guard found == done || found == begun else { throw Mixed(found: found) }
            // And it goes on: whatever the cut has left hinders nothing.
            try await put(9, 10, "d/d")(reopened)
            guard try await Self.found(reopened)[0] == "9 10 d/d" else { throw Mixed(found: found) }
            return wasCut
        }
    }

    /// Changes of the disk that all of the work takes at most.
    private static let moments: ClosedRange<UInt64> = 1...90

    @Test func `after a power cut at any moment an object is the old one or the new one, with its own type`()
        throws
    {
        let cuts = try Self.moments.filter { try Self.cut(at: $0) }
        #expect(cuts.count > 30, "the power is cut in the middle of a change")
        #expect(!cuts.contains(Self.moments.upperBound), "there are moments behind the last change")
    }

    @Test func `with a disk that ignores syncs, objects are lost`() {
        let lost = Self.moments.filter { (try? Self.cut(at: $0, ignoringSyncs: true)) == nil }
        #expect(lost.count > 10, "the check notices what a disk forgets")
    }

    @Test func `a full disk is an error that passes, and nothing of the object stays`() throws {
        try Simulation(seed: 1).run {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            let files = SimulatedFiles(disk: disk)
            let store = try FileObjectStore(path: "objects", on: files)
            try await Self.put(1, 300, "a/a")(store)
            disk.capacity = 1000
            let error = await #expect(throws: ObjectStoreError.self) {
                try await Self.put(2, 5000, "b/b")(store)
            }
            #expect(error?.code == .serverError && error?.isTransient == true)
            #expect(error?.description.contains("Free some space") == true)
            #expect(try await Self.found(store)[0] == "1 300 a/a")
            disk.capacity = nil
            try await Self.put(2, 5000, "b/b")(store)
            #expect(try await Self.found(store)[0] == "2 5000 b/b")
        }
    }
}
