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

@Suite("Files that a crash has left", .simulated(seeds: 1...3, configuration: .shortWaits))
struct AdoptedFileTests {
    @Test func `a file without a note is shown, and uploaded only when that is asked for`() async throws {
        let fixture = try AppFixture { $0.initialSettings.autoUpload = true }
        try fixture.documents.create()
        let id = UUID()
        // As a crash leaves it that comes before the row; uploads may have been off then.
        try fixture.documents.create(MediaLibrary.fileName(of: id, kind: .photo), bytes: [1])
        let report = await fixture.app.launch()
        #expect(report.adoptedFiles == 1 && report.queuedUploads == 0)
        await fixture.app.uploads.processQueue()
        #expect(fixture.store.puts.value.isEmpty)
        #expect(fixture.app.gallery.content.value.items.map(\.uploadStatus) == [UploadStatus.none])
        try await fixture.app.gallery.upload(id)
        await fixture.app.gallery.content.reaches { $0.items[0].uploadStatus == .completed }
        #expect(fixture.store.objects.count == 1)
        await fixture.app.shutdown()
    }

    @Test func `a file whose upload was wanted when it was written is uploaded, and only to that store`()
        async throws
    {
        for identity in ["scripted", "other"] {
            let first = try AppFixture { $0.initialSettings.autoUpload = true }
            _ = await first.app.launch()
            try await first.app.camera.connect()
            try first.database.write("refuse") {
                try $0.execute(
                    sql:
                        "CREATE TRIGGER crash BEFORE INSERT ON mediaItem BEGIN SELECT RAISE(ABORT, 'no'); END"
                )
            }
            await #expect(throws: PhotoCaptureError.self) { try await first.app.capturePhoto() }
            try first.database.write("allow") { try $0.execute(sql: "DROP TRIGGER crash") }
            await first.app.shutdown()
            try first.database.close()

            let second = try AppFixture(storage: first.storage) { $0.storeIdentity = identity }
            let report = await second.app.launch()
            #expect(report.adoptedFiles == 1)
            // The queue of the launch may be at it.
            if identity == "scripted" {
                await second.app.gallery.content.reaches { $0.items.first?.uploadStatus == .completed }
            }
            await second.app.uploads.processQueue()
            #expect(second.store.objects.count == (identity == "scripted" ? 1 : 0))
            let left = try second.database.read("count") {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM mediaWish")
            }
            #expect(left == 0)
            await second.app.shutdown()
        }
    }

    @Test("LENS-040 photos and videos by their names are items, and no small picture or other file is")
    func kinds() async throws {
        let fixture = try AppFixture()
        try fixture.documents.create()
        let (photo, video, other) = (UUID(), UUID(), UUID().uuidString.lowercased())
        let (first, second) =
            (MediaLibrary.fileName(of: photo, kind: .photo), MediaLibrary.fileName(of: video, kind: .video))
        let names = [
            first, second, MediaLibrary.thumbnailName(of: photo), MediaLibrary.thumbnailName(of: UUID()),
            "photo_\(other).mov", "video_\(other).jpg", "photo_\(other).jpeg", "video_\(other)",
            "photo_holiday.jpg", "video_.mov", "notes.txt", "other_\(other).jpg",
        ]
        for name in names { try fixture.documents.create(name, bytes: [1]) }
        let report = await fixture.app.launch()
        #expect(report.adoptedFiles == 2)
        let items = fixture.app.gallery.content.value.items
        #expect(Set(items.map(\.url.lastPathComponent)) == [first, second])
        #expect(Set(items.map(\.id)) == [photo, video])
        await fixture.app.shutdown()
    }
}

@Suite("When files were written", .simulated(seeds: 1...2, configuration: .shortWaits))
struct FileDateTests {
    /// Sets when a file was written, as a copy of a backup does.
    private func date(_ name: String, _ time: Date, in documents: FileFolder) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: time],
            ofItemAtPath: documents.path(of: name)
        )
    }

    @Test(
        "LENS-159 an item is dated by its file, its address is that of the file, and its identity stays at every reading"
    )
    func dates() async throws {
        // Nobody sets the time of a file of a simulated disk.
        let first = try AppFixture(storage: .folder(TemporaryFolder()))
        _ = await first.app.launch()
        try await first.app.camera.connect()
        first.local.show(Movie.frame(0))
        let before = Date()
        let taken = try await first.app.capturePhoto()
        #expect(taken.createdAt >= before && taken.createdAt <= Date())
        try await first.app.startRecording()
        try await first.local.show(1...8)
        let recorded = try #require(await first.app.stopRecording())
        let length = try #require(await first.app.videos.description(of: recorded.id)).duration
        #expect(length > 0.5)
        await first.app.shutdown()
        // As a crash leaves it that comes before the row, or a copy of the folder.
        try first.database.write("forget") {
            try $0.execute(sql: "DELETE FROM mediaItem WHERE kind = 'video'")
        }
        try first.database.close()
        let (photo, broken) = (UUID(), UUID())
        let names = [
            MediaLibrary.fileName(of: photo, kind: .photo), MediaLibrary.fileName(of: broken, kind: .video),
            MediaLibrary.fileName(of: recorded.id, kind: .video),
        ]
        for name in names.prefix(2) { try first.documents.create(name, bytes: Array(name.utf8)) }
        let times = [1_500_000_000.25, 1_600_000_000, 1_700_000_000].map { Date(timeIntervalSince1970: $0) }
        for (name, time) in zip(names, times) { try date(name, time, in: first.documents) }
        let expected: [UUID: Date] = [
            photo: times[0], broken: times[1], recorded.id: times[2].addingTimeInterval(-length),
            taken.id: taken.createdAt,
        ]
        var seen: [MediaItem] = []
        for launch in 1...3 {
            let fixture = try AppFixture(storage: first.storage)
            let report = await fixture.app.launch()
            #expect(report.adoptedFiles == (launch == 1 ? 3 : 0))
            for reading in 1...2 {
                let items = fixture.app.gallery.content.value.items
                #expect(items.map(\.id) == [taken.id, recorded.id, broken, photo])
                for item in items {
                    let difference = item.createdAt.timeIntervalSince(expected[item.id] ?? .distantPast)
                    #expect(abs(difference) < 0.001)
                    let name = MediaLibrary.fileName(of: item.id, kind: item.kind)
                    #expect(item.url == URL(filePath: "\(fixture.documents.path)/\(name)"))
                    let file = try fixture.documents.read(name, upTo: 10_000_000)
                    #expect(try Data(contentsOf: item.url) == Data(file))
                }
                if launch + reading > 2 { #expect(items == seen) }
                seen = items
                await fixture.app.gallery.restore()
            }
            await fixture.app.shutdown()
            try fixture.database.close()
        }
    }

    @Test func `a file whose time makes no sense is dated by the nearest time that does`() async throws {
        let fixture = try AppFixture(storage: .folder(TemporaryFolder()))
        try fixture.documents.create()
        let (early, late) = (UUID(), UUID())
        for (id, time) in [(early, -1e9), (late, 9e9)] {
            let name = MediaLibrary.fileName(of: id, kind: .photo)
            try fixture.documents.create(name, bytes: [1])
            try date(name, Date(timeIntervalSince1970: time), in: fixture.documents)
        }
        let before = Date()
        _ = await fixture.app.launch()
        let (first, last) = (fixture.app.gallery.item(early), fixture.app.gallery.item(late))
        #expect(first?.createdAt == Date(timeIntervalSince1970: 0))
        #expect(try #require(last).createdAt >= before && #require(last).createdAt <= Date())
        await fixture.app.shutdown()
    }
}
