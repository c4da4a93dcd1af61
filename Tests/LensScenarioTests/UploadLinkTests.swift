import AppKernel
import Concurrency
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import SupabaseServer
import SupabaseStorage
import Synchronization
import Testing

@Suite("Uploads over links that break", .simulated(seeds: 1...10))
struct UploadLinkTests {
    @Test func `an upload whose link breaks after each part is never given up, and arrives`() async throws {
        let link = BreakingLink()
        var options = LensOptions()
        options.autoUpload = true
        options.keepsDatabase = true
        options.uploadParts.length = 256
        options.adjust = { $0.objects = BreakingStore($0.objects, link) }
        let world = try await LensWorld.start(options)
        link.world.withLock { $0 = world }
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        let id = try await world.onPhone { try await $0.capturePhoto().id }
        let seen = CurrentValue<[UploadStatus]>([])
        let watching = Task { [status = world.lens.uploads.statuses.status(of: id)] in
            for await status in status.values() { seen.update { $0.append(status) } }
        }
        try await Task.sleep(for: .seconds(300))
        watching.cancel()
        let failures = seen.value.compactMap { status -> (count: Int, retriesItself: Bool)? in
            guard case .failed(_, let count, let retriesItself) = status else { return nil }
            return (count, retriesItself)
        }
        // Four would have been too many, had they been in a row.
        #expect(failures.count > 4)
        #expect(failures.allSatisfy { $0.retriesItself })
        #expect(world.lens.uploads.statuses.status(of: id).value == .completed)
        #expect(world.supabase.objects(in: LensOptions.bucket).count == 1)
        link.world.withLock { $0 = nil }
        try await world.shutdown()
    }
}

/// What a store that every start of the phone makes again breaks.
private final class BreakingLink: Sendable {
    let world = Mutex<LensWorld?>(nil)
    private let confirmed = Mutex(0)

    /// Whether bytes have arrived that had not before.
    func isNew(_ checkpoint: UploadCheckpoint) -> Bool {
        confirmed.withLock { confirmed in
            defer { confirmed = max(confirmed, checkpoint.confirmed) }
            return checkpoint.confirmed > confirmed
        }
    }
}

/// Breaks all connections to the store a moment after each part that has arrived.
private final class BreakingStore: ForwardingObjectStore {
    let base: any ObjectStore
    private let link: BreakingLink

    init(_ base: any ObjectStore, _ link: BreakingLink) { (self.base, self.link) = (base, link) }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        try await base.put(content, at: key, options) { [link] progress in
            try await report?(progress)
            guard let checkpoint = progress.checkpoint, link.isNew(checkpoint) else { return }
            Task {
                try await Task.sleep(for: .milliseconds(5))
                link.world.withLock { $0 }?.network.reset("phone", "supabase")
            }
        }
    }
}
