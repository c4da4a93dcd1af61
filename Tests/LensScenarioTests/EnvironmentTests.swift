import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import Services
import Simulation
import SimulationTesting
import SupabaseServer
import Testing

/// A store whose owner has not paid.
private struct ClosedStore: ObjectStore {
    private func refuse(_ operation: String, _ key: ObjectKey) -> ObjectStoreError {
        ObjectStoreError(.unauthorized, operation: operation, key: key.path, detail: "the project is paused")
    }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        throw refuse("put", key)
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        throw refuse("get", key)
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? { throw refuse("inspect", key) }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) { throw refuse("remove", key) }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String { throw refuse("address", key) }
}

@Suite("The environment of the app in a world", .simulated(seeds: 1...10))
struct EnvironmentTests {
    @Test func `a test replaces one service, and the app has all others as the world made them`() async throws
    {
        var options = LensOptions()
        options.adjust = { $0.objects = ClosedStore() }
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.camera.connect() }
        try await Task.sleep(for: .milliseconds(100))
        let item = try await world.onPhone { try await $0.capturePhoto() }
        try await Task.sleep(for: .seconds(60))
        #expect(world.lens.uploads.statuses.all.value[item.id]?.offersRetry == true)
        #expect(world.supabase.objects(in: LensOptions.bucket).isEmpty)
        // The model is the world's own.
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(5))
        #expect(world.gemini.record.sessions.first.map { $0.frameCount > 0 } == true)
    }
}
