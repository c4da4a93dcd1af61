import AppKernel
import Concurrency
import Files
import Foundation
import JPEG
import Lens
import Services
import SimulatedDisk
import SimulationTesting
import TestSupport
import Testing

@Suite("Photo capture", .simulated(seeds: 1...3, configuration: .shortWaits))
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
        #expect(try fixture.files.read(item.url.path, upTo: 10) == [5])
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
            let decoded = try JPEGDecoder().decode(
                fixture.files.read(item.url.path, upTo: 1 << 20),
                layout: .rgb
            )
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
        let encoder = try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit)
        var apps: [AppFixture] = []
        for _ in 0..<2 {
            apps.append(try AppFixture { ($0.photoEncoder, $0.streamEncoder) = (encoder, encoder) })
        }
        var names: [[String]] = []
        for fixture in apps {
            _ = await fixture.app.launch()
            fixture.local.show(Self.picture(1, [200, 30, 30]))
            try await fixture.app.camera.connect()
            let photo = try await fixture.app.capturePhoto()
            try await fixture.app.startRecording()
            let video = try #require(await fixture.app.stopRecording())
            let (first, second) = (photo.id.uuidString.lowercased(), video.id.uuidString.lowercased())
            let expected = [
                "photo_\(first).jpg", "thumb_\(first).jpg", "thumb_\(second).jpg", "video_\(second).mov",
            ]
            #expect(fixture.documents.names() == expected.sorted())
            names.append(expected.sorted())
            let root = fixture.storage.path("documents")
            #expect([photo, video].map(\.url.path) == ["\(root)/\(expected[0])", "\(root)/\(expected[3])"])
            // Nothing of them lies beside the folder, where the app has its database.
            guard case .disk(let disk) = fixture.storage else { preconditionFailure("no simulated phone") }
            #expect(
                disk.names.filter { !$0.hasPrefix("app.sqlite") }.sorted()
                    == expected.sorted().map { "\(root)/\($0)" }
            )
        }
        #expect(apps.map { $0.documents.names() } == names, "the second app has not touched the first one's")
        let items = apps[0].app.gallery.content.value.items
        try await apps[0].app.gallery.delete(Set(items.map(\.id)))
        #expect(apps.map { $0.documents.names() } == [[], names[1]])
        for fixture in apps { await fixture.app.shutdown() }
    }

    @Test("LENS-042 without a picture there is an error of the camera and no file", arguments: [true, false])
    func noPicture(isConnected: Bool) async throws {
        if isConnected { fixture.local.hide() } else { await fixture.app.camera.disconnect() }
        await #expect(throws: isConnected ? CameraError.sessionStartFailed : .deviceNotFound) {
            try await fixture.app.capturePhoto()
        }
        #expect(fixture.files.names(in: fixture.documents.path).isEmpty)
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
        // A simulated disk has no folders that could be gone.
        let fixture = try AppFixture(storage: .folder(TemporaryFolder()))
        fixture.local.show(1)
        try await fixture.app.camera.connect()
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
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [item.id])
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
