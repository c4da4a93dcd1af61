import AppKernel
import Concurrency
import Foundation
import Lens
import LensScenarios
import S3Server
import S3Storage
import ScenarioKit
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseServer
import SupabaseStorage
import Synchronization
import Testing
import Transport

@Suite("Uploads in parts of items that are deleted", .simulated(seeds: 1...20))
struct UploadDiscardTests {
    enum Backend: CaseIterable { case supabase, s3 }

    private static let part = 512

    /// A world with a store of either kind, at whose checkpoints something may happen.
    private func start(_ backend: Backend, _ checkpoints: Checkpoints) async throws -> (
        world: LensWorld, left: @Sendable () -> (objects: Int, uploads: Int)
    ) {
        var options = LensOptions()
        options.autoUpload = true
        options.keepsDatabase = true
        options.uploadParts.length = Self.part
        options.adjust = { $0.objects = CheckpointedStore($0.objects, checkpoints) }
        let world = try await LensWorld.start(options)
        switch backend {
        case .supabase:
            let supabase = world.supabase
            return (world, { (supabase.objects(in: LensOptions.bucket).count, supabase.pendingUploadCount) })
        case .s3:
            let server = S3Server(S3Account(buckets: [.init("lens")], shortestPart: 1))
            let address = SocketAddress(host: "s3", port: 80)
            _ = try await world.network.host("s3").listen(server, at: address)
            let configuration = S3Configuration(
                endpoint: "http://s3",
                bucket: "lens",
                credentials: S3Account.constantCredentials,
                partSize: Self.part,
                largestSinglePut: Self.part
            )
            let store = S3ObjectStore(configuration, client: world.network.host("phone"))
            checkpoints.store.withLock { $0 = store }
            return (world, { (server.objects(in: "lens").count, server.pendingUploadCount(in: "lens")) })
        }
    }

    private func capture(_ world: LensWorld) async throws {
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        _ = try await world.onPhone { try await $0.capturePhoto() }
    }

    private func delete(in world: LensWorld) async throws {
        let ids = try Set(world.lens.library.items().map(\.id))
        try await world.onPhone { try await $0.gallery.delete(ids) }
    }

    @Test(arguments: Backend.allCases)
    func `what was uploaded of an item that is deleted in the middle is nowhere, also after a crash`(
        _ backend: Backend
    ) async throws {
        let checkpoints = Checkpoints()
        let (world, left) = try await start(backend, checkpoints)
        // Known to the queue, as the process or the item may end at once.
        let moment = Int.random(in: 0...4)
        let (isDeleted, crashes) = (CurrentValue(false), Bool.random())
        if Bool.random() { Simulation.current?.arm(faultPoint: "http.503", skipping: moment + 2, atMost: 2) }
        checkpoints.kept.withLock { kept in
            kept = { number in
                guard number == moment else { return }
                try? await delete(in: world)
                isDeleted.set(true)
                if crashes { world.phone.crash() }
            }
        }
        let capturing = Task { try? await capture(world) }
        for await isTrue in isDeleted.values() where isTrue { break }
        await capturing.value
        checkpoints.kept.withLock { $0 = nil }
        if crashes { try await world.restartPhone() }
        try await Task.sleep(for: .seconds(120))
        #expect(world.lens.uploads.removals.value.isEmpty)
        #expect(left() == (0, 0))
        #expect(try world.lens.library.items().isEmpty)
        try await world.shutdown()
    }

    @Test(arguments: Backend.allCases)
    func `an upload that begins while its item is deleted is forgotten`(_ backend: Backend) async throws {
        let checkpoints = Checkpoints()
        let (world, left) = try await start(backend, checkpoints)
        let begun = CurrentValue(0)
        checkpoints.reported.withLock { reported in
            reported = { number in
                guard number == 0 else { return }
                begun.set(left().uploads)
                try? await delete(in: world)
            }
        }
        try await capture(world)
        try await Task.sleep(for: .seconds(60))
        #expect(begun.value == 1)
        #expect(left() == (0, 0))
        #expect(world.lens.uploads.removals.value.isEmpty)
        try await world.shutdown()
    }
}

/// What happens at the checkpoints of an upload, which are counted from 0 in each attempt, over all starts of the phone.
private final class Checkpoints: Sendable {
    /// Before a checkpoint is kept.
    let reported = Mutex<(@Sendable (Int) async -> Void)?>(nil)
    /// After it is.
    let kept = Mutex<(@Sendable (Int) async -> Void)?>(nil)
    /// The store in the place of the world's.
    let store = Mutex<(any ObjectStore)?>(nil)
}

private struct CheckpointedStore: ForwardingObjectStore {
    private let original: any ObjectStore
    private let checkpoints: Checkpoints

    init(_ original: any ObjectStore, _ checkpoints: Checkpoints) {
        (self.original, self.checkpoints) = (original, checkpoints)
    }

    var base: any ObjectStore { checkpoints.store.withLock { $0 } ?? original }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let count = Mutex(-1)
        try await base.put(content, at: key, options) { [checkpoints] progress in
            guard progress.checkpoint != nil else {
                try await report?(progress)
                return
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            await checkpoints.reported.withLock { $0 }?(number)
            try await report?(progress)
            await checkpoints.kept.withLock { $0 }?(number)
        }
    }
}
