import AppKernel
import Concurrency
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Uploads and another store", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct OtherStoreTests {
    /// A launch of the app on a storage, with one of several stores.
    private func launch(
        _ identity: String,
        _ store: ScriptedObjectStore,
        in storage: AppStorage? = nil,
        initial: LensSettings = LensSettings()
    ) async throws -> AppFixture {
        let fixture = try AppFixture(storage: storage, store: store) {
            $0.storeIdentity = identity
            $0.initialSettings = initial
        }
        _ = await fixture.app.launch()
        return fixture
    }

    private func end(_ fixture: AppFixture) async throws {
        await fixture.app.shutdown()
        try fixture.database.close()
    }

    /// Waits until the app has done what it does by itself after a launch.
    private func settle(_ fixture: AppFixture) async { await fixture.app.uploads.processQueue() }

    private func photo(_ fixture: AppFixture) async throws -> UUID {
        try await fixture.app.camera.connect()
        return try await fixture.app.capturePhoto().id
    }

    private func badges(_ fixture: AppFixture) -> [UploadBadge] {
        let screen = GalleryScreen(fixture.app)
        screen.appear()
        defer { screen.disappear() }
        return screen.state.items.map(\.badge)
    }

    @Test func `what was queued for one store is not sent to another, and is when the first one is back`()
        async throws
    {
        let (one, other) = (ScriptedObjectStore(), ScriptedObjectStore())
        one.gate.set(false)
        let first = try await launch("one", one)
        let id = try await photo(first)
        try await first.app.gallery.upload(id)
        await one.puts.reaches { $0.count == 1 }
        // As a crash leaves it.
        try first.database.close()

        let second = try await launch("other", other, in: first.storage)
        await settle(second)
        #expect(other.puts.value.isEmpty && badges(second) == [UploadBadge.none])
        #expect(try second.app.uploads.entries().isEmpty)
        try await end(second)

        one.gate.set(true)
        await first.app.shutdown()
        let third = try await launch("one", one, in: first.storage)
        await third.app.gallery.content.reaches { $0.items.first?.uploadStatus == .completed }
        #expect(one.objects.count == 1 && other.puts.value.isEmpty)
        try await end(third)
    }

    @Test func `a wish that a crash kept from the queue is not fulfilled at another store`() async throws {
        let other = ScriptedObjectStore()
        let first = try await launch("one", ScriptedObjectStore())
        try await first.app.camera.connect()
        _ = try await first.app.photos.capture(wantsUpload: true)
        try first.database.close()

        let second = try await launch("other", other, in: first.storage)
        await settle(second)
        #expect(other.puts.value.isEmpty && badges(second) == [UploadBadge.none])
        try await end(second)
        await first.app.shutdown()
    }

    @Test func `what lies in one store is shown as not uploaded at another, where it can be uploaded`()
        async throws
    {
        let (one, other) = (ScriptedObjectStore(), ScriptedObjectStore())
        let first = try await launch("one", one)
        let id = try await photo(first)
        try await first.app.gallery.upload(id)
        await first.app.gallery.content.reaches { $0.items.first?.uploadStatus == .completed }
        try await end(first)

        let second = try await launch("other", other, in: first.storage)
        await settle(second)
        #expect(other.puts.value.isEmpty && badges(second) == [UploadBadge.none])
        let screen = GalleryScreen(second.app)
        screen.appear()
        #expect(screen.state.items.map(\.offersUpload) == [true] && !screen.state.items[0].isShared)
        await screen.send(.upload(id))
        await screen.states.reaches { $0.items.map(\.badge) == [.greenCheck] }
        #expect(other.objects.count == 1)
        screen.disappear()
        try await end(second)
    }

    @Test func `an item that is deleted is not sent to a store for which it waits`() async throws {
        let one = ScriptedObjectStore()
        one.gate.set(false)
        let first = try await launch("one", one)
        let id = try await photo(first)
        try await first.app.gallery.upload(id)
        await one.puts.reaches { $0.count == 1 }
        try first.database.close()

        let second = try await launch("other", ScriptedObjectStore(), in: first.storage)
        try await second.app.gallery.delete([id])
        try await end(second)

        one.gate.set(true)
        await first.app.shutdown()
        let third = try await launch("one", one, in: first.storage)
        #expect(try third.app.uploads.entries().isEmpty)
        try await end(third)
    }

    @Test func `entries and addresses of a database that knows of no stores are of none`() async throws {
        let storage = try AppStorage()
        let (waiting, uploaded) = (UUID(), UUID())
        let old = try AppDatabase(path: storage.database("app.sqlite"))
        let item = MediaItem(id: waiting, kind: .photo, url: URL(filePath: "/"), createdAt: Date())
        _ = try Outbox<Upload>(database: old, name: "uploads").add(
            Upload(item),
            identity: waiting.uuidString
        )
        try old.apply([
            SchemaStep(
                "media-1",
                sql: """
                    CREATE TABLE mediaItem (id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, createdAt REAL NOT NULL,
                        wantsUpload INTEGER NOT NULL, remoteURL TEXT);
                    INSERT INTO mediaItem VALUES ('\(waiting)', 'photo', 2, 1, NULL);
                    INSERT INTO mediaItem VALUES ('\(uploaded)', 'photo', 1, 1, 'http://127.0.0.1:4000/x');
                    """
            )
        ])
        try old.close()
        let store = ScriptedObjectStore()
        let fixture = try await launch("one", store, in: storage)
        await settle(fixture)
        #expect(store.puts.value.isEmpty && badges(fixture) == [UploadBadge.none, UploadBadge.none])
        let left = try fixture.database.read("count") {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM outbox")
        }
        #expect(left == 0)
        try await end(fixture)
    }

    @Test func `the settings of a first run hold in their environment alone, and what the user sets in all`()
        async throws
    {
        var sharing = LensSettings()
        sharing.autoUpload = true
        let (one, other) = (ScriptedObjectStore(), ScriptedObjectStore())
        let first = try await launch("one", one, initial: sharing)
        _ = try await photo(first)
        await first.app.gallery.content.reaches { $0.items.first?.uploadStatus == .completed }
        first.app.settings.update { $0.framesPerSecond = 7 }
        try await end(first)

        let second = try await launch("other", other, in: first.storage)
        #expect(!second.app.settings.current.value.autoUpload)
        #expect(second.app.settings.current.value.framesPerSecond == 7)
        _ = try await photo(second)
        await settle(second)
        #expect(other.puts.value.isEmpty)
        second.app.settings.update { $0.autoUpload = true }
        second.app.settings.update { $0.autoUpload = false }
        try await end(second)

        let third = try await launch("one", one, in: first.storage, initial: sharing)
        #expect(!third.app.settings.current.value.autoUpload)
        try await end(third)
    }
}
