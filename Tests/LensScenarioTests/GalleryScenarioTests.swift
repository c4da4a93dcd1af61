import AppKernel
import Concurrency
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedDisk
import Simulation
import SimulationTesting
import Testing

@Suite("The gallery on a disk that loses unsynced writes", .simulated(seeds: 1...60))
struct GalleryScenarioTests {
    private func start() async throws -> LensWorld {
        var options = LensOptions()
        options.autoUpload = Bool.random()
        options.keepsDatabase = true
        options.losesUnsyncedWrites = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        return world
    }

    /// Starts the phone, and once more when the power goes while it starts.
    private func switchOn(_ world: LensWorld) async throws {
        while true {
            do { return try await world.restartPhone() } catch {
                guard !world.phone.isAlive else { throw error }
            }
        }
    }

    @Test
    func `a power cut at any write of a deletion leaves an item whole or gone, and never brings it back`()
        async throws
    {
        let world = try await start()
        let disk = world.base.disk
        var taken: [MediaItem] = []
        for _ in 0..<3 { taken.append(try await world.onPhone { try await $0.capturePhoto() }) }
        try await Task.sleep(for: .milliseconds(.random(in: 0...300)))
        let deleted = Set(taken.prefix(2).map(\.id))
        disk.powerOff(atChange: .random(in: 1...30))
        var wasConfirmed = false
        do {
            try await world.onPhone { try await $0.gallery.delete(deleted) }
            wasConfirmed = true
            #expect(world.lens.gallery.content.value.items.map(\.id) == [taken[2].id])
        } catch { try #require(!world.phone.isAlive, "\(error)") }
        try await Task.sleep(for: .milliseconds(.random(in: 0...300)))
        // A kill between the removal and its sync, then the loss of power: the next launch must not trust what it sees.
        if world.phone.isAlive, Bool.random() { disk.powerOff() }
        if world.phone.isAlive { world.phone.crash() }
        if Bool.random() { disk.powerOff(atChange: .random(in: 1...30)) }
        try await switchOn(world)
        if Bool.random() { disk.powerOff() }
        disk.keepPower()
        if !world.phone.isAlive { try await switchOn(world) }

        try await Task.sleep(for: .seconds(30))
        let shown = Set(world.lens.gallery.content.value.items.map(\.id))
        #expect(shown == [taken[2].id] || (!wasConfirmed && shown == Set(taken.map(\.id))))
        #expect(Set(try world.lens.library.items().map(\.id)) == shown)
        let files = Set(disk.names.filter { $0.hasSuffix(".jpg") && !$0.contains("/.") })
        let small = files.filter { $0.contains("/thumb_") }
        #expect(files.subtracting(small) == Set(taken.filter { shown.contains($0.id) }.map(\.url.path)))
        let names = small.compactMap { $0.split(separator: "/").last.map(String.init) }
        #expect(Set(names).isSubset(of: shown.map { MediaLibrary.thumbnailName(of: $0) }))
        #expect(try world.lens.uploads.entries().allSatisfy { shown.contains($0.work.mediaID) })
        if world.options.autoUpload {
            #expect(world.lens.gallery.content.value.items.allSatisfy { $0.uploadStatus == .completed })
        }
        try await world.shutdown()
    }

    @Test func `an item that is deleted while it is uploaded is gone, and its neighbours are stored`()
        async throws
    {
        let world = try await start()
        let taken = try await world.onPhone { app in
            [try await app.capturePhoto(), try await app.capturePhoto()]
        }
        try await Task.sleep(for: .milliseconds(.random(in: 0...200)))
        try await world.onPhone { try await $0.gallery.delete([taken[0].id]) }
        _ = try await world.onPhone { try await $0.gallery.upload(taken[1].id) }
        try await Task.sleep(for: .seconds(20))
        let content = world.lens.gallery.content.value
        #expect(content.items.map(\.id) == [taken[1].id])
        #expect(content.items.first?.uploadStatus == .completed)
        #expect(try world.lens.uploads.entries().isEmpty)
        #expect(world.lens.uploads.statuses.all.value[taken[0].id] == nil)
        try await world.shutdown()
    }
}
