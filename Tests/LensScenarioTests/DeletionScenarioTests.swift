import AppKernel
import Concurrency
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseServer
import Testing

@Suite("Deletion in the whole world", .simulated(seeds: 1...30))
struct DeletionScenarioTests {
    @Test func `what was deleted and confirmed is nowhere`() async throws {
        var options = LensOptions()
        options.autoUpload = true
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        for (point, values) in [
            ("http.503", [:]), ("http.502", [:]), ("http.portal", [:]), ("http.slow", ["seconds": 2]),
            ("supabase.upload.answerLost", ["silence": 5]), ("supabase.upload.answerCut", [:]),
        ] as [(String, [String: Double])] {
            world.base.arm(point, probability: 0.15, values: values, atMost: 3)
        }
        var kept: Set<UUID> = []
        var (files, deleted): ([UUID: String], Set<UUID>) = ([:], [])
        for _ in 0..<5 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1500)))
            let item = try await world.onPhone { try await $0.capturePhoto() }
            kept.insert(item.id)
            files[item.id] = item.url.path
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
            if Bool.random(), let id = kept.sorted(by: { $0.uuidString < $1.uuidString }).randomElement() {
                try await world.onPhone { try await $0.gallery.delete([id]) }
                kept.remove(id)
                deleted.insert(id)
            }
            switch Int.random(in: 0..<5) {
            case 0: world.network.reset("phone", "supabase")
            case 1:
                try await world.restartPhone()
                try await world.onPhone { try await $0.camera.connect() }
            default: break
            }
        }
        Simulation.current?.heal()
        // As a user would who sees that something has failed.
        for _ in 0..<240 {
            let isDone = try await world.onPhone { app in
                try app.uploads.retryRemovals()
                for entry in try app.uploads.entries() { try app.uploads.retry(entry.work.mediaID) }
                return try app.uploads.entries().isEmpty && app.uploads.removals.value.isEmpty
            }
            if isDone { break }
            try await Task.sleep(for: .seconds(60))
        }
        #expect(world.lens.uploads.removals.value.isEmpty)
        let keys = Set(world.supabase.objects(in: LensOptions.bucket).map(\.key))
        #expect(keys == Set(kept.map { "photos/\($0.uuidString.lowercased()).jpg" }))
        #expect(try Set(world.lens.library.items().map(\.id)) == kept)
        let disk = world.base.disk
        for (id, file) in files { #expect(((try? disk.read(file)) != nil) == kept.contains(id)) }
        #expect(deleted.isDisjoint(with: kept))
        try await world.shutdown()
    }
}
