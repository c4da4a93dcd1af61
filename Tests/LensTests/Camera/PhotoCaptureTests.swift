import AppKernel
import Foundation
import GRDB
import Lens
import TestSupport
import Testing

@Suite("Photo capture")
struct PhotoCaptureTests {
    private let fixture: AppFixture

    init() async throws {
        fixture = try AppFixture()
        try fixture.documents.create()
        try await fixture.app.camera.connect()
    }

    @Test("LENS-018 LENS-037 LENS-205 a photo is the newest picture in a new file of the documents folder")
    func writes() async throws {
        fixture.local.show(5)
        let item = try await fixture.app.capturePhoto()
        let names = fixture.documents.names()
        #expect(names.count == 1)
        #expect(names.first?.hasPrefix("photo_") == true && names.first?.hasSuffix(".jpg") == true)
        #expect(try Data(contentsOf: item.url) == Data([5]))
        #expect(try fixture.app.library.items() == [item])
        _ = try await fixture.app.capturePhoto()
        #expect(fixture.documents.names().count == 2)
    }

    @Test func `a damaged row of the library is an error that says so`() async throws {
        fixture.local.show(5)
        _ = try await fixture.app.capturePhoto()
        // SQLite keeps a text where a number is declared, as damage may leave it.
        try fixture.database.write("damage a row") {
            try $0.execute(sql: "UPDATE mediaItem SET createdAt = 'soon'")
        }
        let failure = #expect(throws: DatabaseFailure.self) { try fixture.app.library.items() }
        #expect(failure?.code == .damaged)
        #expect(failure?.description.contains("createdAt") == true)
    }

    @Test("LENS-042 without a picture there is a typed error and no file")
    func noFrame() async throws {
        await fixture.app.camera.disconnect()
        await #expect(throws: PhotoCaptureError.noFrame) { try await fixture.app.capturePhoto() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.documents.path).isEmpty)
        #expect(try fixture.app.library.items().isEmpty)
    }

    @Test("a picture that cannot be encoded leaves no file")
    func notEncodable() async throws {
        fixture.local.show(13)
        await #expect(throws: PhotoCaptureError.self) { try await fixture.app.capturePhoto() }
        #expect(fixture.documents.names().isEmpty)
    }

    @Test("a folder that is gone is a typed error, and nothing is noted")
    func noFolder() async throws {
        try FileManager.default.removeItem(atPath: fixture.documents.path)
        let error = await #expect(throws: PhotoCaptureError.self) { try await fixture.app.capturePhoto() }
        guard case .file(let failure)? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(failure.code == .missing)
        #expect(try fixture.app.library.items().isEmpty)
    }

    @Test("LENS-161 a photo is queued by itself only when uploads are automatic")
    func autoUpload() async throws {
        _ = try await fixture.app.capturePhoto()
        #expect(try fixture.app.uploads.entries().isEmpty)
        fixture.app.settings.update { $0.autoUpload = true }
        let item = try await fixture.app.capturePhoto()
        #expect(try fixture.app.uploads.entries().map(\.payload.mediaID) == [item.id])
    }

    @Test(
        "a photo file that a crash has left without a note is found at the next launch, and queued if wished"
    )
    func adopts() async throws {
        fixture.app.settings.update { $0.autoUpload = true }
        let id = UUID()
        try fixture.documents.create(MediaLibrary.fileName(of: id, kind: .photo), bytes: [7])
        try fixture.documents.create("photo_holiday.jpg", bytes: [7])
        try fixture.documents.create("thumb_\(id.uuidString.lowercased()).jpg", bytes: [7])
        let report = await fixture.app.launch()
        #expect(report.adoptedFiles == 1 && report.queuedUploads == 1 && report.problems.isEmpty)
        #expect(try fixture.app.library.items().map(\.id) == [id])
        await fixture.app.shutdown()
    }
}
