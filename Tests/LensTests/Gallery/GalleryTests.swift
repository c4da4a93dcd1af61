import AppKernel
import Concurrency
import Files
import Foundation
import GRDB
import Lens
import Services
import SimulationTesting
import TestSupport
import Testing

@Suite("Gallery", .simulated(seeds: 1...3, configuration: .shortWaits))
struct GalleryTests {
    /// An app with a connected camera, and uploads that run only when asked to.
    private func fixture(_ store: ScriptedObjectStore = ScriptedObjectStore()) async throws -> AppFixture {
        let fixture = try AppFixture(store: store)
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        return fixture
    }

    private func photos(_ count: Int, in fixture: AppFixture) async throws -> [MediaItem] {
        var items: [MediaItem] = []
        for number in 1...count {
            fixture.local.show(number)
            items.append(try await fixture.app.capturePhoto())
        }
        return items
    }

    private func status(_ id: UUID, in fixture: AppFixture) -> UploadStatus? {
        fixture.app.gallery.item(id)?.uploadStatus
    }

    @Test func `a photo is in the gallery when its capture has returned, newest first`() async throws {
        let fixture = try await fixture()
        #expect(fixture.app.gallery.content.value == Gallery.Content())
        let taken = try await photos(3, in: fixture)
        #expect(fixture.app.gallery.content.value.items == taken.reversed())
        await fixture.app.gallery.restore()
        #expect(fixture.app.gallery.content.value.items == taken.reversed())
    }

    @Test func `the gallery follows uploads, and shows one as done exactly when it has an address`()
        async throws
    {
        let fixture = try await fixture(ScriptedObjectStore([.storesAndFails(.timedOut)]))
        _ = await fixture.app.launch()
        let seen = fixture.app.gallery.content.values()
        let items = try await photos(2, in: fixture)
        for item in items { try await fixture.app.gallery.upload(item.id) }
        var contents: [Gallery.Content] = []
        for await content in seen {
            contents.append(content)
            if content.items.count == 2, content.items.allSatisfy({ $0.uploadStatus == .completed }) { break }
        }
        await fixture.app.shutdown()
        for item in contents.flatMap(\.items) {
            #expect((item.uploadStatus == .completed) == (item.remoteURL != nil))
        }
        for content in contents { #expect(Set(content.items.map(\.id)).count == content.items.count) }
        let first = contents.compactMap { $0.items.first { $0.id == items[0].id }?.uploadStatus }
        #expect(first.contains(.pending) && first.contains(.uploading))
    }

    @Test func `an upload that is done and whose address is not kept yet is shown as under way`() async throws
    {
        let fixture = try await fixture()
        let item = try await photos(1, in: fixture)[0]
        try await fixture.app.gallery.upload(item.id)
        let outbox = try Outbox<Upload>(database: fixture.database, name: "uploads@scripted")
        let claim = try #require(try outbox.claim(now: Date()))
        #expect(try outbox.finish(claim, receipt: Data("1".utf8)) { _ in throw CancellationError() })
        await fixture.app.gallery.restore()
        #expect(status(item.id, in: fixture) == .uploading)
        try fixture.database.write("keep an address") {
            try fixture.app.library.setRemoteURL("https://store.example/x", of: item.id, in: $0)
        }
        await fixture.app.gallery.refresh()
        #expect(status(item.id, in: fixture) == .completed)
    }

    @Test func `what a change has left unread is read as a whole`() async throws {
        let fixture = try await fixture()
        let items = try await photos(4, in: fixture)
        // Behind the gallery's back, as the worker does it.
        try fixture.app.uploads.add(items[1])
        try fixture.database.write("keep an address") {
            try fixture.app.library.setRemoteURL("https://store.example/x", of: items[2].id, in: $0)
        }
        #expect(status(items[1].id, in: fixture) == UploadStatus.none)
        await fixture.app.gallery.refresh()
        #expect(fixture.app.gallery.content.value.items.map(\.id) == items.map(\.id).reversed())
        #expect(status(items[1].id, in: fixture) == .pending)
        #expect(status(items[2].id, in: fixture) == .completed)
    }

    @Test func `an item that was never queued is uploaded when asked`() async throws {
        let fixture = try await fixture()
        let item = try await photos(1, in: fixture)[0]
        #expect(try await fixture.app.gallery.upload(item.id))
        #expect(status(item.id, in: fixture) == .pending)
        #expect(try await fixture.app.gallery.upload(item.id))
        #expect(try fixture.app.uploads.entries().count == 1)
        await fixture.app.uploads.processQueue()
        await fixture.app.gallery.refresh()
        #expect(status(item.id, in: fixture) == .completed)
        // What is done stays so.
        #expect(try await fixture.app.gallery.upload(item.id))
        #expect(try fixture.app.uploads.entries().isEmpty)
        #expect(try await !fixture.app.gallery.upload(UUID()))
    }

    @Test func `an upload that has failed is tried again, whichever of the two is asked`() async throws {
        let fixture = try await fixture(
            ScriptedObjectStore([.fails(.unauthorized), .fails(.unauthorized)])
        )
        let item = try await photos(1, in: fixture)[0]
        try await fixture.app.gallery.upload(item.id)
        await fixture.app.uploads.processQueue()
        await fixture.app.gallery.refresh()
        #expect(status(item.id, in: fixture)?.offersRetry == true)
        #expect(try await fixture.app.gallery.upload(item.id))
        #expect(status(item.id, in: fixture) == .pending)
        await fixture.app.uploads.processQueue()
        #expect(try await fixture.app.gallery.retry(item.id))
        #expect(status(item.id, in: fixture) == .pending)
        await fixture.app.uploads.processQueue()
        await fixture.app.gallery.refresh()
        #expect(status(item.id, in: fixture) == .completed)
        #expect(fixture.store.puts.value.count == 3)
    }

    @Test("LENS-156 deleting removes file, thumbnail, row and waiting upload; a missing file is no error")
    func delete() async throws {
        let fixture = try await fixture()
        let items = try await photos(3, in: fixture)
        for item in items {
            try fixture.documents.create(MediaLibrary.thumbnailName(of: item.id), bytes: [9])
            try await fixture.app.gallery.upload(item.id)
        }
        try fixture.documents.remove(items[1].url.lastPathComponent)
        try await fixture.app.gallery.delete([items[0].id, items[1].id, UUID()])
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [items[2].id])
        #expect(
            fixture.documents.names()
                == [
                    items[2].url.lastPathComponent, MediaLibrary.thumbnailName(of: items[2].id),
                ].sorted()
        )
        #expect(try fixture.app.library.items().map(\.id) == [items[2].id])
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [items[2].id])
        #expect(Set(fixture.app.uploads.statuses.all.value.keys) == [items[2].id])
        // Nothing of a deleted item can be asked for.
        #expect(try await !fixture.app.gallery.upload(items[0].id))
        #expect(try !fixture.app.uploads.add(items[0]))
        #expect(try fixture.app.uploads.entries().count == 1)
        #expect(try rows(fixture) == 1)
    }

    @Test func `deleting an item whose upload is under way cancels it, and the next one is uploaded`()
        async throws
    {
        let store = ScriptedObjectStore()
        let fixture = try await fixture(store)
        _ = await fixture.app.launch()
        let items = try await photos(2, in: fixture)
        // The store never answers by itself.
        store.gate.set(false)
        for item in items { try await fixture.app.gallery.upload(item.id) }
        await store.puts.reaches { $0 == [Upload(items[0]).key] }
        try await fixture.app.gallery.delete([items[0].id])
        await store.puts.reaches { $0.count == 2 }
        #expect(store.puts.value.last == Upload(items[1]).key)
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [items[1].id])
        store.gate.set(true)
        await fixture.app.uploads.statuses.status(of: items[1].id).reaches { $0 == .completed }
        #expect(fixture.app.uploads.statuses.all.value[items[0].id] == nil)
        #expect(try rows(fixture) == 1)
        await fixture.app.shutdown()
    }

    @Test func `a deletion that could not be finished is finished by the next launch`() async throws {
        let files = try StubbornFiles()
        let first = try AppFixture(files: files)
        _ = await first.app.launch()
        try await first.app.camera.connect()
        let items = try await photos(2, in: first)
        files.refuseRemoval(true)
        let failure = await #expect(throws: GalleryFailure.self) {
            try await first.app.gallery.delete([items[0].id])
        }
        guard case .file(let reason)? = failure else {
            Issue.record("another failure: \(String(describing: failure))")
            return
        }
        #expect(reason.code == .notPermitted)
        #expect(first.app.gallery.content.value.items.map(\.id) == [items[1].id])
        await first.app.shutdown()
        try first.database.close()

        // Still not: it must not be taken for a new photo.
        let second = try AppFixture(storage: first.storage, files: files)
        let report = await second.app.launch()
        #expect(report.adoptedFiles == 0 && report.problems.count == 1)
        #expect(second.app.gallery.content.value.items.map(\.id) == [items[1].id])
        await second.app.shutdown()
        try second.database.close()

        files.refuseRemoval(false)
        let third = try AppFixture(storage: first.storage, files: files)
        #expect(await third.app.launch().problems.isEmpty)
        #expect(third.documents.names() == [items[1].url.lastPathComponent])
        #expect(third.app.gallery.content.value.items.map(\.id) == [items[1].id])
        #expect(try rows(third) == 1)
        await third.app.shutdown()
    }

    @Test(
        arguments: [
            "createdAt = 'soon'", "kind = 'sculpture'", "kind = x'ff'", "remoteURL = x'ff00'",
            "id = 'nobody', createdAt = 'soon'",
        ]
    )
    func `a damaged row is counted, and neither items, files nor uploads miss anything by it`(
        _ damage: String
    ) async throws {
        let first = try await fixture()
        let items = try await photos(3, in: first)
        try first.app.uploads.add(items[2])
        try first.database.write("keep an address") {
            try first.app.library.setRemoteURL("https://store.example/x", of: items[1].id, in: $0)
        }
        // SQLite keeps a text where a number is declared, as damage may leave it.
        try first.database.write("damage a row") {
            try $0.execute(
                sql: "UPDATE mediaItem SET \(damage) WHERE id = ?",
                arguments: [items[0].id.uuidString]
            )
        }
        let left = UUID()
        try first.documents.create(MediaLibrary.fileName(of: left, kind: .photo), bytes: [8])
        try first.database.close()

        let second = try AppFixture(storage: first.storage)
        let report = await second.app.launch()
        let content = second.app.gallery.content.value
        // A row that lost its name leaves a file without a note, which is found again.
        let found = damage.contains("nobody") ? [items[0].id] : []
        #expect(Set(content.items.map(\.id)) == Set([left, items[1].id, items[2].id] + found))
        #expect(content.damagedRows == 1)
        #expect(report.problems.count == 1 && report.problems[0].contains("media file"))
        #expect(report.adoptedFiles == 1 + found.count && report.queuedUploads == 1)
        await second.app.uploads.statuses.status(of: items[2].id).reaches { $0 == .completed }
        #expect(second.app.uploads.statuses.all.value[items[1].id] == .completed)
        await second.app.shutdown()
    }

    @Test func `a gallery that cannot be read keeps what it shows, says why, and is read again`() async throws
    {
        let fixture = try await fixture()
        let item = try await photos(1, in: fixture)[0]
        try rename("mediaItem", "elsewhere", in: fixture)
        await #expect(throws: DatabaseFailure.self) { try await fixture.app.gallery.upload(item.id) }
        await fixture.app.gallery.refresh()
        await fixture.app.gallery.restore()
        #expect(fixture.app.gallery.failure.value != nil)
        #expect(fixture.app.gallery.content.value.items == [item])
        try rename("elsewhere", "mediaItem", in: fixture)
        await fixture.app.gallery.refresh()
        #expect(fixture.app.gallery.failure.value == nil)
        #expect(fixture.app.gallery.content.value.items == [item])
    }

    private func rename(_ name: String, _ other: String, in fixture: AppFixture) throws {
        try fixture.database.write("rename a table") {
            try $0.execute(sql: "ALTER TABLE \(name) RENAME TO \(other)")
        }
    }

    private func rows(_ fixture: AppFixture) throws -> Int {
        try fixture.database.read("count") {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM mediaItem") ?? 0
        }
    }
}
