import AppKernel
import Foundation
import GRDB
import Lens
import Services
import Testing

@Suite("Files that a crash has left", .timeLimit(.minutes(1)))
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

            let second = try AppFixture(folder: first.folder) { $0.storeIdentity = identity }
            let report = await second.app.launch()
            #expect(report.adoptedFiles == 1)
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
