import Foundation
import JPEG
import Services
import TestSupport
import Testing

@testable import SessionRecording

@Suite("What a recording keeps of a camera's pictures")
struct KeptPicturesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A recording of three looks at two pictures, and at one that is none.
    private func record(_ pictures: Retention.Pictures, keepsPictures: Bool = true) throws -> SessionReader {
        let writer = try SessionWriter(
            path: folder.file("a.lenssession"),
            manifest: .sample,
            retention: Retention(pictures: pictures)
        )
        let size = PixelSize(width: 320, height: 200)
        let pixels = PixelBuffer(size: size, layout: .rgb)
        unsafe pixels.withMutableBytes { bytes in
            for index in bytes.indices { unsafe bytes[index] = UInt8(truncatingIfNeeded: index / 3) }
        }
        let file = try JPEGEncoder().encode(pixels, quality: 90)
        let seen = [
            RecordedPicture(size: size, layout: .rgb, bytes: unsafe pixels.withBytes { unsafe Array($0) }),
            RecordedPicture(size: size, layout: nil, bytes: file),
            RecordedPicture(size: nil, layout: nil, bytes: [1, 2, 3]),
        ]
        for (number, picture) in (seen + seen.prefix(1)).enumerated() {
            writer.add(
                RecordedLook(
                    nanoseconds: Int64(number),
                    sequence: number,
                    timestamp: 0,
                    hash: ContentHash.current(picture.bytes)
                )
            ) { keepsPictures ? picture : nil }
        }
        return try writer.finishAndRead(
            SessionOutcome(steps: 0, nanoseconds: 5, hash: 0, failure: nil)
        )
    }

    private func sizes(_ session: SessionReader) throws -> [PixelSize?] {
        try session.looks().map { look in
            guard let picture = try session.picture(look.hash) else { return nil }
            #expect(picture.layout == nil)
            return try JPEGDecoder().header(of: picture.bytes).size
        }
    }

    @Test func `frames are kept as the camera gave them`() throws {
        let session = try record(.frames)
        #expect(session.pictures == .frames)
        for look in try session.looks() {
            #expect(try session.picture(look.hash).map { ContentHash.current($0.bytes) } == look.hash)
        }
        #expect(try session.summary().pictures == 3)
    }

    @Test func `thumbnails are small files of the same pictures, under the hashes of the large ones`() throws
    {
        let session = try record(.thumbnails)
        #expect(session.pictures == .thumbnails)
        let small = PixelSize(width: 160, height: 100)
        // Of what cannot be decoded the hash alone is kept.
        #expect(try sizes(session) == [small, small, nil, small])
        #expect(try session.summary().pictures == 2)
        #expect(try session.alterations().count == 0)
    }

    @Test func `hashes tell which captures saw the same, and nothing else`() throws {
        let session = try record(.hashes)
        #expect(session.pictures == .hashes)
        let hashes = try session.looks().map(\.hash)
        #expect(hashes[0] == hashes[3] && Set(hashes).count == 3)
        #expect(try session.summary().pictures == 0)
        #expect(try sizes(session) == [nil, nil, nil, nil])
    }

    @Test(arguments: Retention.Pictures.allCases)
    func `where no pictures were wanted, nothing is missing`(pictures: Retention.Pictures) throws {
        let session = try record(pictures, keepsPictures: false)
        #expect(try session.pictures == .frames && session.summary().pictures == 0)
    }
}
