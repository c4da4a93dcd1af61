import AppKernel
import Concurrency
import Files
import Foundation
import Lens
import LensScreens
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Large uploads", .simulated(seeds: 1...3, configuration: .shortWaits))
struct LargeUploadTests {
    /// An app whose gallery has one video of so many bytes, of which the upload was asked for.
    private func fixture(_ store: ScriptedObjectStore, bytes: Int) async throws -> (AppFixture, MediaItem) {
        let fixture = try AppFixture(store: store)
        try fixture.documents.create()
        let id = UUID()
        try fixture.documents.create(
            MediaLibrary.fileName(of: id, kind: .video),
            bytes: [UInt8](repeating: 7, count: bytes)
        )
        let item = try fixture.app.library.add(id: id, kind: .video, createdAt: Date(), wantsUpload: true)
        try fixture.app.uploads.add(item)
        await fixture.app.gallery.refresh()
        return (fixture, item)
    }

    @Test func `a video of more than 50 MiB is brought to a store that takes it`() async throws {
        let store = ScriptedObjectStore()
        let (fixture, item) = try await fixture(store, bytes: 60 << 20)
        await fixture.app.uploads.processQueue()
        #expect(store.objects.values.map(\.bytes.count) == [60 << 20])
        #expect(fixture.app.uploads.statuses.status(of: item.id).value == .completed)
    }

    @Test func `what a store does not take is said of the store`() async throws {
        let (fixture, item) = try await fixture(ScriptedObjectStore([.fails(.tooLarge)]), bytes: 3)
        await fixture.app.uploads.processQueue()
        await fixture.app.gallery.refresh()
        let refused = try #require(fixture.app.gallery.item(item.id)?.uploadStatus.failure)
        #expect(refused.code == .tooLarge && refused.localizedDescription.contains("storage"))
    }
}
