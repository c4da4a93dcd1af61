import AppKernel
import Concurrency
import Files
import Foundation
import GRDB
import Services
import SimulationTesting
import Testing

@testable import Lens

@Suite("Uploads", .simulated(seeds: 1...3, configuration: .shortWaits))
struct UploadTests {
    private static let jpeg: [UInt8] = [1]

    /// An app with a connected camera, one photo taken, and uploads that run only when asked to.
    private func fixture(_ store: ScriptedObjectStore = ScriptedObjectStore()) async throws -> (
        AppFixture, MediaItem
    ) {
        let fixture = try AppFixture(store: store)
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        return (fixture, try await fixture.app.capturePhoto())
    }

    @Test(
        "LENS-165 LENS-178 LENS-179 a success saves the public address, keeps the green check, and empties the queue"
    )
    func success() async throws {
        let (fixture, item) = try await fixture()
        #expect(fixture.app.uploads.statuses.status(of: item.id).value == UploadStatus.none)
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        let key = try #require(fixture.store.objects.keys.first)
        #expect(fixture.store.objects[key]?.bytes == Self.jpeg)
        #expect(fixture.store.objects[key]?.contentType == "image/jpeg")
        #expect(key.path.hasSuffix(".jpg"))
        let saved = try #require(try fixture.app.library.items().first)
        #expect(saved.remoteURL?.absoluteString == "https://store.example/\(key.path)")
        #expect(saved.uploadStatus == .completed)
        #expect(try fixture.app.uploads.entries().isEmpty)
        #expect(fixture.app.uploads.statuses.status(of: item.id).value.badge == .greenCheck)
    }

    @Test func `a file that a crash has left without a note is adopted once`() async throws {
        let (fixture, item) = try await fixture()
        let library = fixture.app.library
        let left = MediaLibrary.fileName(of: UUID(), kind: .photo)
        try fixture.documents.create(left, bytes: Self.jpeg)
        for name in ["photo_\(UUID().uuidString).jpg", "photo_x.jpg", "\(UUID()).jpg", "notes.txt"] {
            try fixture.documents.create(name, bytes: Self.jpeg)
        }
        #expect(try library.adoptFiles() == 1)
        #expect(try library.adoptFiles() == 0)
        #expect(Set(try library.items().map(\.url.lastPathComponent)) == [left, item.url.lastPathComponent])
        #expect(try library.itemsWantingUpload().isEmpty)
    }

    @Test(
        "LENS-165 the entry is done, the address saved, and the entry gone, in this order and one transaction"
    )
    func addressFirst() async throws {
        let (fixture, item) = try await fixture()
        try fixture.app.uploads.add(item)
        let library = fixture.app.library
        let seen = CurrentValue<[String]>([])
        let outbox = try Outbox<Upload>(database: fixture.database, name: "uploads@scripted")
        outbox.watch { change in seen.update { $0.append("\(change.event)") } }
        let service = NotingService(
            inner: UploadService(store: fixture.store, documents: fixture.documents, library: library),
            outbox: outbox,
            seen: seen
        )
        await OutboxWorker(outbox: outbox, effect: service).processQueue()
        // One transaction: no crash leaves one of them without the others.
        #expect(seen.value == ["started", "is done", "address saved", "is there: true", "done", "removed"])
        #expect(try outbox.entries().isEmpty && library.items().first?.remoteURL != nil)
    }

    @Test("LENS-167 LENS-168 every subscriber of an item sees each status in order")
    func sequence() async throws {
        let (fixture, item) = try await fixture(ScriptedObjectStore([.fails(.invalidRequest)]))
        let status = fixture.app.uploads.statuses.status(of: item.id)
        let first = status.values()
        let second = status.values()
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        let (one, two) = (await take(4, of: first), await take(4, of: second))
        #expect(one.prefix(3) == [UploadStatus.none, .pending, .uploading])
        #expect(one.last?.badge == .redCross)
        #expect(two == one)
    }

    @Test(
        "LENS-181 codes of the store become errors of the upload, and only transient ones are repeated",
        arguments: [
            (ObjectStoreError.Code.unauthorized, UploadError.Code.unauthorized, 1),
            (.tooLarge, .tooLarge, 1), (.notConfigured, .notConfigured, 1), (.invalidRequest, .rejected, 1),
            (.serverError, .server, 4), (.slowDown, .server, 4), (.timedOut, .network, 4),
            (.network, .network, 4),
        ]
    )
    func codes(code: ObjectStoreError.Code, expected: UploadError.Code, attempts: Int) async throws {
        let (fixture, item) = try await fixture(ScriptedObjectStore(Array(repeating: .fails(code), count: 4)))
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        guard
            case .failed(let error, let retries, let retriesItself) =
                fixture.app.uploads.statuses.status(of: item.id).value
        else {
            Issue.record("the upload has not failed")
            return
        }
        #expect(error.code == expected && retries == attempts && !retriesItself)
        #expect(fixture.store.puts.value.count == attempts)
    }

    @Test("LENS-186 a failed upload offers a retry, which succeeds; a completed one does not")
    func retry() async throws {
        let (fixture, item) = try await fixture(ScriptedObjectStore([.fails(.unauthorized)]))
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        let status = fixture.app.uploads.statuses.status(of: item.id)
        #expect(status.value.offersRetry)
        #expect(try fixture.app.uploads.retry(item.id))
        #expect(status.value == .pending)
        await fixture.app.uploads.processQueue()
        #expect(status.value == .completed && !status.value.offersRetry)
    }

    @Test("an upload whose answer was lost is recognised at the next attempt")
    func lostAnswer() async throws {
        let (fixture, item) = try await fixture(ScriptedObjectStore([.storesAndFails(.timedOut)]))
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        #expect(fixture.store.puts.value.count == 2)
        #expect(Set(fixture.store.puts.value).count == 1)
        #expect(fixture.app.uploads.statuses.status(of: item.id).value == .completed)
    }

    @Test("something else under the item's name is an error, not a success")
    func foreignObject() async throws {
        let (fixture, item) = try await fixture()
        fixture.store.place([1, 2, 3], at: Upload(item).key)
        try fixture.app.uploads.add(item)
        await fixture.app.uploads.processQueue()
        guard case .failed(let error, _, _) = fixture.app.uploads.statuses.status(of: item.id).value else {
            Issue.record("the upload has not failed")
            return
        }
        #expect(error.code == .keyTaken)
    }

    @Test("LENS-174 a file that is gone fails the upload with its own error, without a call to the store")
    func missingFile() async throws {
        let (fixture, item) = try await fixture()
        try fixture.app.uploads.add(item)
        try fixture.documents.remove(Upload(item).fileName)
        await fixture.app.uploads.processQueue()
        guard case .failed(let error, _, _) = fixture.app.uploads.statuses.status(of: item.id).value else {
            Issue.record("the upload has not failed")
            return
        }
        #expect(error.code == .fileMissing)
        #expect(fixture.store.puts.value.isEmpty)
    }

    @Test("LENS-173 one item added twice is uploaded once")
    func twice() async throws {
        let (fixture, item) = try await fixture()
        try fixture.app.uploads.add(item)
        try fixture.app.uploads.add(item)
        #expect(try fixture.app.uploads.entries().count == 1)
        await fixture.app.uploads.processQueue()
        #expect(fixture.store.puts.value.count == 1)
    }

    @Test("LENS-188 after a relaunch completed items have their check, failed ones their cross and error")
    func relaunch() async throws {
        let (fixture, done) = try await fixture(
            ScriptedObjectStore([.storesAndFails(.timedOut), .fails(.alreadyExists)])
        )
        try fixture.app.uploads.add(done)
        await fixture.app.uploads.processQueue()
        fixture.local.show(2)
        let failed = try await fixture.app.capturePhoto()
        try fixture.documents.remove(Upload(failed).fileName)
        try fixture.app.uploads.add(failed)
        await fixture.app.uploads.processQueue()
        let before = fixture.app.uploads.statuses.all.value

        let relaunched = try AppFixture(storage: fixture.storage)
        try relaunched.app.uploads.restore()
        #expect(relaunched.app.uploads.statuses.all.value == before)
        #expect(before[done.id]?.badge == .greenCheck && before[failed.id]?.badge == .redCross)
        await relaunched.app.gallery.restore()
        for id in [done.id, failed.id] {
            #expect(relaunched.app.gallery.item(id)?.uploadStatus == before[id])
        }
        #expect(try relaunched.app.library.items().first { $0.id == done.id }?.uploadStatus == .completed)
        #expect(try relaunched.app.uploads.entries().map(\.work.mediaID) == [failed.id])
    }

    @Test("LENS-179 items of any kind have keys of their own, with the file's extension and type")
    func keys() {
        let url = URL(filePath: "/tmp/same.jpg")
        let photos = (0..<2).map { _ in MediaItem(id: UUID(), kind: .photo, url: url, createdAt: Date()) }
        #expect(Upload(photos[0]).key != Upload(photos[1]).key)
        #expect(Upload(photos[0]) == Upload(photos[0]))
        for photo in photos.map(Upload.init) {
            #expect(photo.contentType == "image/jpeg" && photo.key.path.hasSuffix(".jpg"))
        }
        let videos = (0..<2).map { _ in
            Upload(MediaItem(id: UUID(), kind: .video, url: url, createdAt: Date()))
        }
        #expect(videos[0].key != videos[1].key)
        for video in videos {
            #expect(video.contentType == "video/quicktime" && video.key.path.hasSuffix(".mov"))
        }
    }

    @Test(
        "an upload error survives being kept, also as the text of former versions",
        arguments: UploadError.Code.allCases
    )
    func errorText(code: UploadError.Code) throws {
        for detail in ["a: b", "", "x"] {
            let error = UploadError(code, detail: detail)
            let kept = try JSONDecoder().decode(UploadError.self, from: JSONEncoder().encode(error))
            #expect(kept == error)
            #expect(UploadError(.noted("\(code.rawValue): \(detail)")) == error)
            #expect(error.description.contains("upload failed: \(detail)"))
        }
    }

    @Test func `text that no version has kept is a failure of the service, as it stands`() {
        for text in ["", "unheard of: x", "no colon"] {
            #expect(UploadError(.noted(text)) == UploadError(.server, detail: text))
        }
    }

    @Test(
        "LENS-228 a photo or video survives encoding with whatever status it is given, without its thumbnail"
    )
    func itemCodable() throws {
        #expect(MediaItem.Kind.allCases.map(\.rawValue) == ["photo", "video"])
        let failed = UploadStatus.failed(UploadError(.network, detail: "x"), retries: 2, retriesItself: true)
        for kind in MediaItem.Kind.allCases {
            var item = MediaItem(
                id: UUID(),
                kind: kind,
                url: URL(filePath: "/tmp/photo_1.jpg"),
                thumbnail: Data([1]),
                createdAt: Date(timeIntervalSince1970: 12.5),
                remoteURL: URL(string: "https://store.example/x")
            )
            for status in [UploadStatus.none, .pending, .uploading, .completed, failed] {
                item.uploadStatus = status
                let decoded = try JSONDecoder().decode(MediaItem.self, from: JSONEncoder().encode(item))
                #expect(decoded.thumbnail == nil && decoded.id == item.id && decoded.kind == kind)
                #expect(decoded.url == item.url && decoded.createdAt == item.createdAt)
                #expect(decoded.uploadStatus == status && decoded.remoteURL == item.remoteURL)
            }
        }
    }

    @Test(
        "LENS-229 an upload is not asked for, waits, is under way, has failed or is done, and has its file, failures and error"
    )
    func states() async throws {
        let store = ScriptedObjectStore([.fails(.unauthorized)])
        let (fixture, item) = try await fixture(store)
        let (gallery, uploads) = (fixture.app.gallery, fixture.app.uploads)
        func status() async -> UploadStatus? {
            await gallery.refresh()
            #expect(gallery.item(item.id)?.url == item.url)
            return gallery.item(item.id)?.uploadStatus
        }
        #expect(await status() == UploadStatus.none)
        try uploads.add(item)
        #expect(await status() == .pending)
        store.gate.set(false)
        let processing = Task { await uploads.processQueue() }
        await store.puts.reaches { $0.count == 1 }
        #expect(await status() == .uploading)
        store.gate.set(true)
        await processing.value
        guard case .failed(let error, let failures, false)? = await status() else {
            Issue.record("the upload has not failed")
            return
        }
        #expect(error.code == .unauthorized && error.description.contains("unauthorized") && failures == 1)
        let entry = try #require(try uploads.entries().first)
        #expect(entry.work.fileName == item.url.lastPathComponent && entry.state == .failed)
        #expect(entry.failures == 1 && entry.reason?.description.contains("unauthorized") == true)
        #expect(try uploads.retry(item.id))
        await uploads.processQueue()
        #expect(await status() == .completed)
    }
}

/// Notes what the transaction holds before and after the address is saved.
private struct NotingService: OutboxEffect {
    let inner: UploadService
    let outbox: Outbox<Upload>
    let seen: CurrentValue<[String]>

    func perform(_ attempt: OutboxAttempt<Upload>) async -> OutboxOutcome<Upload> {
        await inner.perform(attempt)
    }

    func record(_ receipt: String, of entry: OutboxEntry<Upload>, in database: Database) throws {
        let state = try outbox.entry(entry.identity, in: database)?.state
        seen.update { $0.append("is \(state, default: "gone")") }
        try inner.record(receipt, of: entry, in: database)
        let isThere = try outbox.entry(entry.identity, in: database) != nil
        seen.update { $0 += ["address saved", "is there: \(isThere)"] }
    }
}

/// The first elements of a stream.
private func take<Element: Sendable>(_ count: Int, of stream: AsyncStream<Element>) async -> [Element] {
    var elements: [Element] = []
    for await element in stream {
        elements.append(element)
        if elements.count == count { break }
    }
    return elements
}
