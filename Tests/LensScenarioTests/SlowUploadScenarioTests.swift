import AppKernel
import Concurrency
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseServer
import Testing

@Suite("Uploads over slow and stalled links", .simulated(seeds: 1...2))
struct SlowUploadScenarioTests {
    private static let bytes = 30_000_000

    /// A world whose phone has a file of 30 MB and has not begun to upload it.
    private func world() async throws -> (LensWorld, MediaItem) {
        var options = LensOptions()
        options.autoUpload = false
        options.keepsDatabase = true
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        let item = try await world.onPhone { try await $0.capturePhoto() }
        let disk = world.base.disk
        try disk.write([UInt8](repeating: 7, count: Self.bytes), to: item.url.path)
        return (world, item)
    }

    @Test func `an upload of 50 seconds completes, although no single wait may be longer than 30`()
        async throws
    {
        let (world, item) = try await world()
        // Bytes a second.
        world.network["phone", "supabase"].bandwidth = 600_000
        let start = ContinuousClock.now
        _ = try await world.onPhone { try $0.uploads.add(item) }
        while !world.lens.uploads.statuses.isSettled(item.id) { try await Task.sleep(for: .seconds(1)) }
        #expect(world.lens.uploads.statuses.all.value[item.id] == .completed)
        #expect(world.supabase.events.map(\.kind) == [.created])
        #expect(world.supabase.objects(in: LensOptions.bucket).map(\.bytes.count) == [Self.bytes])
        #expect(ContinuousClock.now - start > .seconds(45))
    }

    @Test
    func `an upload whose link stalls forever fails as one of the network, each attempt within its limit`()
        async throws
    {
        let (world, item) = try await world()
        world.network["phone", "supabase"].bandwidth = 600_000
        let start = ContinuousClock.now
        _ = try await world.onPhone { try $0.uploads.add(item) }
        try await Task.sleep(for: .seconds(10))
        world.network["phone", "supabase"].isPartitioned = true
        while !world.lens.uploads.statuses.isSettled(item.id) { try await Task.sleep(for: .seconds(1)) }
        guard case .failed(let error, let retries, _) = world.lens.uploads.statuses.all.value[item.id] else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .network)
        #expect(retries == 4)
        // 10 s that moved; four attempts that each give up after 30 s without progress; waits between them of up to 8 s.
        #expect(ContinuousClock.now - start < .seconds(145))
    }
}

extension UploadStatusStore {
    /// Whether nothing more will happen by itself.
    fileprivate func isSettled(_ id: UUID) -> Bool {
        switch all.value[id] {
        case .completed: true
        case .failed(_, _, let retriesItself): !retriesItself
        default: false
        }
    }
}
