import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Deleted items at the store", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct RemovalTests {
    private func launch(
        _ identity: String = "one",
        _ store: ScriptedObjectStore,
        in storage: AppStorage? = nil
    ) async throws -> AppFixture {
        let fixture = try AppFixture(storage: storage, store: store) { $0.storeIdentity = identity }
        _ = await fixture.app.launch()
        return fixture
    }

    private func end(_ fixture: AppFixture) async throws {
        await fixture.app.shutdown()
        try fixture.database.close()
    }

    private func uploaded(_ fixture: AppFixture) async throws -> UUID {
        try await fixture.app.camera.connect()
        let id = try await fixture.app.capturePhoto().id
        try await fixture.app.gallery.upload(id)
        await fixture.app.gallery.content.reaches { $0.item(id)?.uploadStatus == .completed }
        return id
    }

    @Test func `what is deleted is deleted at the store, and nothing else is`() async throws {
        let store = ScriptedObjectStore()
        let fixture = try await launch("one", store)
        let (gone, kept) = (try await uploaded(fixture), try await uploaded(fixture))
        try await fixture.app.gallery.delete([gone])
        await fixture.app.uploads.removals.reaches { $0.isEmpty }
        #expect(store.objects.keys.map(\.path) == ["photos/\(kept.uuidString.lowercased()).jpg"])
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [kept])
        #expect(Set(fixture.app.uploads.statuses.all.value.keys) == [kept])
        try await end(fixture)
    }

    @Test func `an item that was never sent asks the store for nothing`() async throws {
        let store = ScriptedObjectStore()
        let fixture = try await launch("one", store)
        try await fixture.app.camera.connect()
        let id = try await fixture.app.capturePhoto().id
        try await fixture.app.gallery.delete([id])
        #expect(fixture.app.uploads.removals.value.isEmpty)
        await fixture.app.uploads.processQueue()
        #expect(store.removals.value.isEmpty)
        try await end(fixture)
    }

    @Test func `a removal outlives the app, and is nobody's upload meanwhile`() async throws {
        let store = ScriptedObjectStore()
        let first = try await launch("one", store)
        let id = try await uploaded(first)
        // The first attempt and its three repetitions.
        store.refuseRemovals([.network, .serverError, .timedOut, .network])
        try await first.app.gallery.delete([id])
        await first.app.uploads.removalFailure.reaches { $0 != nil }
        #expect(first.app.uploads.removals.value == [id])
        #expect(try first.app.uploads.entries().isEmpty)
        #expect(first.app.uploads.statuses.all.value.isEmpty)
        try await end(first)
        #expect(store.objects.count == 1)

        let second = try await launch("one", store, in: first.storage)
        await second.app.uploads.removals.reaches { $0.isEmpty }
        #expect(store.objects.isEmpty && second.app.gallery.content.value.items.isEmpty)
        #expect(second.app.uploads.statuses.all.value.isEmpty)
        try await end(second)
    }

    @Test func `what lies in another store is removed there when that store is used again`() async throws {
        let (one, other) = (ScriptedObjectStore(), ScriptedObjectStore())
        let first = try await launch("one", one)
        let id = try await uploaded(first)
        try await end(first)

        let second = try await launch("other", other, in: first.storage)
        try await second.app.gallery.delete([id])
        #expect(second.app.uploads.removals.value.isEmpty && other.removals.value.isEmpty)
        try await end(second)
        #expect(one.objects.count == 1)

        let third = try await launch("one", one, in: first.storage)
        await third.app.uploads.removals.reaches { $0.isEmpty }
        #expect(one.objects.isEmpty)
        try await end(third)
    }

    @Test func `a removal that the store refuses is said, and done when it is asked for again`() async throws
    {
        let store = ScriptedObjectStore()
        let fixture = try await launch("one", store)
        let id = try await uploaded(fixture)
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        store.refuseRemovals([.unauthorized])
        try await fixture.app.gallery.delete([id])
        await screen.states.reaches { $0.alert != nil }
        #expect(screen.state.alert?.title == "What was deleted is still at the storage")
        #expect(screen.state.alert?.offersRetry == true && screen.state.leftAtStore == 1)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil && screen.state.leftAtStore == 1)
        await screen.send(.retry)
        await screen.states.reaches { $0.leftAtStore == 0 }
        #expect(store.objects.isEmpty && screen.state.alert == nil)
        screen.disappear()
        try await end(fixture)
    }
}
