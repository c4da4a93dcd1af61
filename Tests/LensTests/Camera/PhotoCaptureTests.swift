import AppKernel
import Foundation
import JPEG
import Lens
import Services
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

    @Test("LENS-018 each photo is a new file of the documents folder")
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

    @Test("LENS-037 a photo is a valid JPEG file of the newest picture, by its name in the documents folder")
    func valid() async throws {
        let encoder = try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit)
        let fixture = try AppFixture { $0.photoEncoder = encoder }
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        for (number, color) in ([[200, 30, 30], [30, 30, 200]] as [[UInt8]]).enumerated() {
            fixture.local.show(Self.picture(number, color))
            let item = try await fixture.app.capturePhoto()
            #expect(item.url.path == "\(fixture.documents.path)/photo_\(item.id.uuidString.lowercased()).jpg")
            let decoded = try JPEGDecoder().decode([UInt8](try Data(contentsOf: item.url)), layout: .rgb)
            #expect(decoded.size == Self.size)
            let pixels = unsafe decoded.withBytes { unsafe [UInt8]($0) }
            for (index, byte) in pixels.enumerated() { #expect(abs(Int(byte) - Int(color[index % 3])) < 8) }
        }
    }

    private static let size = PixelSize(width: 16, height: 16)

    /// A picture of one colour.
    private static func picture(_ number: Int, _ color: [UInt8]) -> VideoFrame {
        let buffer = PixelBuffer(size: size, layout: .rgb)
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices { unsafe bytes[index] = color[index % 3] }
        }
        return VideoFrame(sequence: number, timestamp: .zero, size: size, content: .pixels(buffer))
    }

    @Test("LENS-205 photos, videos and thumbnails lie by their names in one folder, which each app is given")
    func files() async throws {
        let other = try AppFixture()
        try other.documents.create()
        try await other.app.camera.connect()
        var photos: [MediaItem] = []
        for fixture in [fixture, other] {
            let photo = try await fixture.app.capturePhoto()
            let video = UUID()
            try fixture.documents.create(MediaLibrary.fileName(of: video, kind: .video), bytes: [1])
            try fixture.documents.create(MediaLibrary.thumbnailName(of: photo.id), bytes: [1])
            #expect(try fixture.app.library.adoptFiles() == 1)
            let (first, second) = (photo.id.uuidString.lowercased(), video.uuidString.lowercased())
            #expect(
                fixture.documents.names() == [
                    "photo_\(first).jpg", "thumb_\(first).jpg", "video_\(second).mov",
                ]
            )
            let root = fixture.folder.file("documents")
            #expect(
                Set(try fixture.app.library.items().map(\.url.path))
                    == ["\(root)/photo_\(first).jpg", "\(root)/video_\(second).mov"]
            )
            photos.append(photo)
        }
        await fixture.app.gallery.restore()
        try await fixture.app.gallery.delete([photos[0].id])
        #expect(fixture.documents.names().allSatisfy { $0.hasPrefix("video_") })
        #expect(other.documents.names().count == 3)
    }

    @Test("LENS-042 without a picture there is an error of the camera and no file", arguments: [true, false])
    func noPicture(isConnected: Bool) async throws {
        if isConnected { fixture.local.hide() } else { await fixture.app.camera.disconnect() }
        await #expect(throws: isConnected ? CameraError.sessionStartFailed : .deviceNotFound) {
            try await fixture.app.capturePhoto()
        }
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

    @Test func `a photo is queued by itself only when uploads are automatic`() async throws {
        _ = try await fixture.app.capturePhoto()
        #expect(try fixture.app.uploads.entries().isEmpty)
        fixture.app.settings.update { $0.autoUpload = true }
        let item = try await fixture.app.capturePhoto()
        #expect(try fixture.app.uploads.entries().map(\.payload.mediaID) == [item.id])
    }

    @Test(
        "a photo file that a crash has left without a note is found at the next launch, and not queued unasked"
    )
    func adopts() async throws {
        fixture.app.settings.update { $0.autoUpload = true }
        let id = UUID()
        try fixture.documents.create(MediaLibrary.fileName(of: id, kind: .photo), bytes: [7])
        try fixture.documents.create("photo_holiday.jpg", bytes: [7])
        try fixture.documents.create("thumb_\(id.uuidString.lowercased()).jpg", bytes: [7])
        let report = await fixture.app.launch()
        #expect(report.adoptedFiles == 1 && report.queuedUploads == 0 && report.problems.isEmpty)
        #expect(try fixture.app.library.items().map(\.id) == [id])
        await fixture.app.shutdown()
    }
}
