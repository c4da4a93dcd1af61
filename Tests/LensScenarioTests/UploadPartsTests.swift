import AppKernel
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import SimulatedDisk
import Simulation
import SimulationTesting
import SupabaseServer
import SupabaseStorage
import Testing

@Suite("Uploads in parts, and what is said of them", .simulated(seeds: 1...10))
struct UploadPartsTests {
    private func start(_ change: (inout LensOptions) -> Void) async throws -> LensWorld {
        var options = LensOptions()
        options.autoUpload = true
        options.keepsDatabase = true
        change(&options)
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        return world
    }

    private func size(_ id: UUID, in world: LensWorld) throws -> Int {
        let path = try #require(world.lens.gallery.item(id)?.url.path)
        return try world.base.disk.read(path).count
    }

    @Test func `an upload that a crash has cut off goes on with the parts that are missing`() async throws {
        let part = 1024
        let world = try await start { $0.uploadParts.length = part }
        // The fourth request of the upload, its third part, is never answered.
        Simulation.current?.arm(
            faultPoint: "supabase.resumable.answerLost",
            values: ["silence": 3600],
            skipping: 3,
            atMost: 1
        )
        let id = try await world.onPhone { try await $0.capturePhoto().id }
        try await Task.sleep(for: .seconds(10))
        #expect(world.lens.gallery.item(id)?.uploadStatus == .uploading)
        let before = world.supabase.requestCount
        world.phone.crash()
        try await world.restartPhone()
        try await Task.sleep(for: .seconds(60))
        #expect(world.lens.gallery.item(id)?.uploadStatus == .completed)
        let stored = try #require(world.supabase.objects(in: LensOptions.bucket).first)
        let size = try size(id, in: world)
        #expect(stored.bytes.count == size && world.supabase.objects(in: LensOptions.bucket).count == 1)
        // How far it is, and the parts that were missing: the third has arrived.
        #expect(world.supabase.requestCount - before == 1 + (size + part - 1) / part - 3)
        #expect(size > 4 * part)
        try await world.shutdown()
    }

    @Test(
        "LENS-183 an object says its type, its time and its size where that is set, and is stored either way",
        arguments: [true, false],
        [1 << 20, 1024]
    )
    func metadata(_ isSet: Bool, _ part: Int) async throws {
        let world = try await start {
            $0.uploadParts.length = part
            $0.adjust = { $0.sendsUploadMetadata = isSet }
        }
        let id = try await world.onPhone { try await $0.capturePhoto().id }
        try await Task.sleep(for: .seconds(10))
        let item = try #require(world.lens.gallery.item(id))
        #expect(item.uploadStatus == .completed)
        let stored = try #require(world.supabase.objects(in: LensOptions.bucket).first)
        if isSet {
            let text = try #require(stored.metadata)
            let said = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            let size = try size(id, in: world)
            let created = item.createdAt.formatted(.iso8601)
            #expect(said == ["type": "image/jpeg", "size": "\(size)", "createdAt": created])
        } else {
            #expect(stored.metadata == nil)
        }
        try await world.shutdown()
    }
}
