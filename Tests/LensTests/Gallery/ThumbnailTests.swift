import AppKernel
import Concurrency
import Files
import Foundation
import JPEG
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("Small pictures of photos", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ThumbnailTests {
    private let fixture: AppFixture

    init() throws {
        fixture = try AppFixture()
        try fixture.documents.create()
    }

    private func photo(_ width: Int, _ height: Int) throws -> [UInt8] {
        let pool = PixelBufferPool(size: PixelSize(width: width, height: height), layout: .rgb)
        let picture = unsafe pool.makeBuffer { bytes in
            for index in 0..<bytes.count {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index &* index / 7)
            }
        }
        return try JPEGEncoder().encode(picture, quality: 90)
    }

    @Test func `a photo that is taken has a small picture, which is deleted with it`() async throws {
        let encoder = PhotoFile(bytes: try photo(1_280, 720))
        let fixture = try AppFixture { $0.photoEncoder = encoder }
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        let item = try await fixture.app.capturePhoto()
        let name = MediaLibrary.thumbnailName(of: item.id)
        let small = try fixture.documents.read(name, upTo: 1_000_000)
        #expect(try JPEGDecoder().header(of: small).size == PixelSize(width: 320, height: 180))
        #expect(await fixture.app.thumbnails.picture(of: item.id) == small)
        try await fixture.app.gallery.delete([item.id])
        #expect(fixture.documents.names().isEmpty)
        #expect(await fixture.app.thumbnails.picture(of: item.id) == nil)
        #expect(fixture.documents.names().isEmpty)
    }

    @Test func `an older photo gets its small picture when it is asked for, once`() async throws {
        let id = UUID()
        try fixture.documents.create(
            MediaLibrary.fileName(of: id, kind: .photo),
            bytes: try photo(1_920, 1_080)
        )
        let small = try #require(await fixture.app.thumbnails.picture(of: id))
        #expect(try JPEGDecoder().header(of: small).size == PixelSize(width: 320, height: 180))
        #expect(try fixture.documents.read(MediaLibrary.thumbnailName(of: id), upTo: 1_000_000) == small)
        #expect(try fixture.app.library.adoptFiles() == 1)
    }

    @Test(
        "LENS-038 a photo and a video that are taken have small pictures by their names in the documents folder"
    )
    func names() async throws {
        let fixture = try AppFixture {
            let encoder = try? JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit)
            ($0.photoEncoder, $0.streamEncoder) = (encoder ?? PassingEncoder(), encoder ?? PassingEncoder())
        }
        _ = await fixture.app.launch()
        let picture = try photo(640, 360)
        let size = PixelSize(width: 640, height: 360)
        fixture.local.show(
            VideoFrame(sequence: 0, timestamp: .zero, size: size, content: .jpeg(picture))
        )
        try await fixture.app.camera.connect()
        let taken = try await fixture.app.capturePhoto()
        try await fixture.app.startRecording()
        let recorded = try #require(await fixture.app.stopRecording())
        for item in [taken, recorded] {
            let name = "thumb_\(item.id.uuidString.lowercased()).jpg"
            let small = try fixture.documents.read(name, upTo: 1_000_000)
            #expect(try JPEGDecoder().decode(small).size == PixelSize(width: 320, height: 180))
            // One that is gone is made again, of the video of its first picture.
            try fixture.documents.remove(name)
            #expect(await fixture.app.thumbnails.picture(of: item.id) == small)
            #expect(fixture.documents.contains(name))
        }
        try await fixture.app.gallery.delete([taken.id, recorded.id])
        #expect(fixture.documents.names().isEmpty)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-039 the longest side of a small picture has 320 pixels at most, its aspect is kept, and it is a JPEG file",
        arguments: [(1_920, 1_080), (1_080, 1_920), (2_048, 1_536), (1_000, 999), (4_000, 300), (200, 120)]
    )
    func sizes(_ width: Int, _ height: Int) async throws {
        let fixture = try AppFixture {
            let encoder = try? JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit)
            ($0.photoEncoder, $0.streamEncoder) = (encoder ?? PassingEncoder(), encoder ?? PassingEncoder())
        }
        _ = await fixture.app.launch()
        let size = PixelSize(width: width, height: height)
        fixture.local.show(
            VideoFrame(
                sequence: 0,
                timestamp: .zero,
                size: size,
                content: .jpeg(try photo(width, height))
            )
        )
        try await fixture.app.camera.connect()
        let taken = try await fixture.app.capturePhoto()
        try await fixture.app.startRecording()
        let recorded = try #require(await fixture.app.stopRecording())
        for item in [taken, recorded] {
            let file = try fixture.documents.read(MediaLibrary.thumbnailName(of: item.id), upTo: 1_000_000)
            // Not tolerant: a file that lacks a byte is none.
            let small = try JPEGDecoder().decode(file).size
            #expect(max(small.width, small.height) == min(320, max(width, height)))
            let scale = Double(min(320, max(width, height))) / Double(max(width, height))
            #expect(abs(Double(small.width) - Double(width) * scale) <= 0.5)
            #expect(abs(Double(small.height) - Double(height) * scale) <= 0.5)
        }
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-041 a small picture that is gone is made again for the next gallery, and what cannot be read is shown without one"
    )
    @MainActor
    func madeAgain() async throws {
        let encoder = PhotoFile(bytes: try photo(640, 360))
        let first = try AppFixture { ($0.photoEncoder, $0.streamEncoder) = (encoder, encoder) }
        _ = await first.app.launch()
        try await first.app.camera.connect()
        let taken = try await first.app.capturePhoto()
        try await first.app.startRecording()
        let recorded = try #require(await first.app.stopRecording())
        await first.app.shutdown()
        try first.database.close()
        let names = [taken, recorded].map { MediaLibrary.thumbnailName(of: $0.id) }
        let small = try names.map { try first.documents.read($0, upTo: 1_000_000) }
        for name in names { try first.documents.remove(name) }
        let broken: [(id: UUID, kind: MediaItem.Kind)] = [(UUID(), .photo), (UUID(), .video)]
        for (id, kind) in broken {
            try first.documents.create(MediaLibrary.fileName(of: id, kind: kind), bytes: [1])
        }
        let next = try AppFixture(storage: first.storage)
        _ = await next.app.launch()
        let items = next.app.gallery.content.value.items
        let all = Set([taken.id, recorded.id] + broken.map(\.id))
        #expect(Set(items.map(\.id)) == all)
        let screen = GalleryScreen(next.app)
        screen.appear()
        #expect(Set(screen.state.items.map(\.id)) == all && screen.state.alert == nil)
        for (item, picture) in zip([taken, recorded], small) {
            let shown = try #require(next.app.gallery.item(item.id))
            #expect(await next.app.thumbnails.illustrated(shown).thumbnail == Data(picture))
        }
        #expect(names.allSatisfy(next.documents.contains))
        for (id, _) in broken {
            let shown = try #require(next.app.gallery.item(id))
            #expect(await next.app.thumbnails.illustrated(shown) == shown && shown.thumbnail == nil)
            #expect(!next.documents.contains(MediaLibrary.thumbnailName(of: id)))
        }
        await next.app.shutdown()
    }

    @Test
    func `there is none of a video that cannot be read, of something else, and of a photo that is gone`()
        async throws
    {
        let (video, broken) = (UUID(), UUID())
        try fixture.documents.create(MediaLibrary.fileName(of: video, kind: .video), bytes: [1])
        try fixture.documents.create(MediaLibrary.fileName(of: broken, kind: .photo), bytes: [1, 2, 3])
        for id in [video, broken, UUID()] { #expect(await fixture.app.thumbnails.picture(of: id) == nil) }
        #expect(fixture.documents.names().count == 2)
    }

    /// Gives one file for any picture.
    private struct PhotoFile: FrameEncoder {
        var bytes: [UInt8]

        func encode(_ frame: VideoFrame) async throws -> [UInt8] { bytes }
    }
}
