import AppKernel
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import Services
import Simulation
import SimulationTesting
import SupabaseServer
import Synchronization
import Testing

@Suite("Uploads after outages and crashes", .simulated(seeds: 1...10))
struct UploadRecoveryTests {
    private func start(_ adjust: @escaping @Sendable (inout LensEnvironment) -> Void = { _ in }) async throws
        -> LensWorld
    {
        var options = LensOptions()
        options.autoUpload = true
        options.keepsDatabase = true
        options.adjust = adjust
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        return world
    }

    private func capture(_ world: LensWorld) async throws -> UUID {
        try await world.onPhone { try await $0.capturePhoto().id }
    }

    private func status(_ id: UUID, in world: LensWorld) -> UploadStatus? {
        world.lens.gallery.item(id)?.uploadStatus
    }

    @Test func `photos that an outage kept from the store are stored when a later one is`() async throws {
        let world = try await start()
        // Four attempts of each of two photos.
        world.base.arm("supabase.upload.refused", atMost: 8)
        let kept = [try await capture(world), try await capture(world)]
        try await Task.sleep(for: .seconds(60))
        for id in kept {
            guard case .failed(_, 4, false)? = status(id, in: world) else {
                Issue.record("not given up: \(String(describing: status(id, in: world)))")
                return
            }
        }
        let later = try await capture(world)
        try await Task.sleep(for: .seconds(30))
        for id in kept + [later] { #expect(status(id, in: world) == .completed) }
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 3)
        try await world.shutdown()
    }

    @Test func `photos that an outage kept from the store are stored after the next start`() async throws {
        let world = try await start()
        world.base.arm("supabase.upload.refused", atMost: 4)
        let kept = try await capture(world)
        try await Task.sleep(for: .seconds(60))
        #expect(status(kept, in: world)?.offersRetry == true)
        if Bool.random() { try await world.shutdown() }
        try await world.restartPhone()
        try await Task.sleep(for: .seconds(30))
        #expect(status(kept, in: world) == .completed)
        try await world.shutdown()
    }

    @Test
    func `a photo whose upload ends the process is set aside after three times, and the others are stored`()
        async throws
    {
        let shared = Shared()
        let world = try await start { $0.objects = PoisonedStore($0.objects, shared) }
        shared.node.withLock { $0 = world.phone }
        world.base.arm("supabase.upload.refused", atMost: 4)
        let bad = try await capture(world)
        try await Task.sleep(for: .seconds(60))
        shared.poison.withLock { $0 = bad }
        let good = try await capture(world)
        var starts = 0
        for _ in 0..<10 {
            try await Task.sleep(for: .seconds(20))
            if world.phone.isAlive { break }
            starts += 1
            try await world.restartPhone()
        }
        #expect(starts <= 4)
        #expect(status(good, in: world) == .completed)
        #expect(status(bad, in: world)?.failure?.code == .interrupted)
        shared.poison.withLock { $0 = nil }
        _ = try await world.onPhone { try await $0.gallery.retry(bad) }
        try await Task.sleep(for: .seconds(20))
        #expect(status(bad, in: world) == .completed)
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 2)
        try await world.shutdown()
    }

    @Test func `starts in good order in the middle of an upload set nothing aside`() async throws {
        let world = try await start()
        world.base.arm("supabase.upload.answerLost", values: ["silence": 3600], atMost: 6)
        let id = try await capture(world)
        for _ in 0..<5 {
            try await Task.sleep(for: .seconds(1))
            try await world.shutdown()
            try await world.restartPhone()
        }
        #expect(status(id, in: world) != nil)
        #expect(status(id, in: world)?.failure?.code != .interrupted)
        Simulation.current?.heal()
        try await world.restartPhone()
        try await Task.sleep(for: .seconds(60))
        #expect(status(id, in: world) == .completed)
        try await world.shutdown()
    }
}

/// What a test tells a store that every start of the phone makes again.
private final class Shared: Sendable {
    let poison = Mutex<UUID?>(nil)
    let node = Mutex<Node?>(nil)
}

/// Ends the phone's process when a certain photo is put into it.
private final class PoisonedStore: ForwardingObjectStore {
    let base: any ObjectStore
    private let shared: Shared

    init(_ base: any ObjectStore, _ shared: Shared) { (self.base, self.shared) = (base, shared) }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        if let id = shared.poison.withLock({ $0 }), key.path.contains(id.uuidString.lowercased()) {
            shared.node.withLock { $0 }?.crash()
        }
        try await base.put(content, at: key, options, report: report)
    }
}
