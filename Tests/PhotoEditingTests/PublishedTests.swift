import JPEG
import PNG
import Services
import TestSupport
import Testing

@testable import PhotoEditing

@Suite("Photos as they are published")
struct PublishedTests {
    private let edit = PhotoEdit(
        crop: PhotoCrop(left: 0.1, top: 0.2, width: 0.7, height: 0.6),
        filter: .sepia
    )

    @Test(
        "NOVA-042 the same file, crop and filter give the same bytes on every machine",
        arguments: zip(
            PhotoFilter.allCases,
            [
                "1786bd9eead3394a", "db03ce8e39d8ec18", "41139ddf6cae04f0", "ed4cffa6878db18f",
                "74e7f4012a576764", "67c1ac862b042a8a",
            ]
        )
    )
    func golden(_ filter: PhotoFilter, _ expected: String) async throws {
        let file = try PNGEncoder.encode(scene(300, 200))
        let published = try await Photo.published(file, edit: PhotoEdit(crop: edit.crop, filter: filter))
        #expect(digest(published) == expected)
        #expect(try JPEGDecoder().header(of: published).size == PixelSize(width: 210, height: 120))
    }

    @Test func `a JPEG file that is upright only by its Exif data gives the same bytes everywhere`()
        async throws
    {
        let published = try await Photo.published(jpeg(scene(300, 200), exif: exif(6)), edit: edit)
        #expect(try JPEGDecoder().header(of: published).size == PixelSize(width: 140, height: 180))
        #expect(digest(published) == "42006359955a467c")
    }

    @Test(
        "wider or higher than 2048 is fitted, 2048 × 2048 stays as large as it is",
        arguments: [
            ((2_048, 2_048), (2_048, 2_048)), ((2_049, 2_048), (2_048, 2_047)), ((4_096, 300), (2_048, 150)),
            ((300, 4_096), (150, 2_048)), ((2_047, 2), (2_047, 2)),
        ]
    )
    func sizes(_ from: (Int, Int), _ to: (Int, Int)) async throws {
        let file = try PNGEncoder.encode(
            PixelBuffer(size: PixelSize(width: from.0, height: from.1), layout: .rgb)
        )
        let published = try await Photo.published(file, edit: PhotoEdit())
        #expect(try JPEGDecoder().header(of: published).size == PixelSize(width: to.0, height: to.1))
    }

    @Test func `nothing of the Exif data is published`() async throws {
        let file = try jpeg(scene(64, 48), exif: exif(1))
        #expect(file.firstRange(of: Array("52.5N".utf8)) != nil)
        let published = try await Photo.published(file, edit: PhotoEdit())
        #expect(published.firstRange(of: Array("52.5N".utf8)) == nil)
        // The only segment for applications is that of JFIF.
        #expect(markers(of: published).filter { (0xE0...0xEF).contains($0) } == [0xE0])
        #expect(!markers(of: published).contains(0xFE))
    }

    @Test func `its tables are those of libjpeg for quality 85`() async throws {
        let published = try await Photo.published(PNGEncoder.encode(scene(64, 48)), edit: PhotoEdit())
        // ITU-T T.81, tables K.1 and K.2, in the order of rows; libjpeg's jpeg_quality_scaling takes 200 − 2 · 85 percent.
        let (luma, chroma) = (Self.standardLuma, Self.standardChroma)
        let scaled = [luma, chroma].map { $0.map { UInt8(min(max(($0 * 30 + 50) / 100, 1), 255)) } }
        let tables = quantisationTables(of: published)
        #expect(tables.count == 2)
        for (table, expected) in zip(tables, scaled) {
            #expect(table == Self.zigzag.map { expected[$0] })
        }
    }

    @Test func `what is no photo is refused with what was found`() async {
        func failure(_ file: [UInt8]) async -> PhotoError? {
            do { _ = try await Photo.published(file, edit: edit) } catch { return error }
            return nil
        }
        #expect(await failure([]) == .unknownFormat(firstBytes: [], byteCount: 0))
        let heic = [0, 0, 0, 24] + Array("ftypheic".utf8)
        #expect(await failure(heic) == .unknownFormat(firstBytes: Array(heic.prefix(8)), byteCount: 12))
        let large = [UInt8](repeating: 0xFF, count: Photo.mostBytes + 1)
        #expect(await failure(large) == .tooManyBytes(large.count))
        guard case .jpeg(.undecodable) = await failure([0xFF, 0xD8, 0xFF]) else {
            Issue.record("three bytes are a JPEG file")
            return
        }
        guard case .png(.undecodable) = await failure([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            Issue.record("a signature is a PNG file")
            return
        }
    }

    @Test func `a header that announces too many pixels is refused before they are held`() async throws {
        var file = try JPEGEncoder().encode(scene(16, 16), quality: 85)
        let frame = try #require(file.firstRange(of: [0xFF, 0xC0])?.lowerBound)
        file.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0x00, 0xFF, 0x00])
        await #expect(
            throws: PhotoError.jpeg(.tooLarge(PixelSize(width: 65_280, height: 65_280), limits: .standard))
        ) { try await Photo.published(file, edit: edit) }
    }

    @Test func `a JPEG file that is cut off is refused, wherever that is`() throws {
        let file = try jpeg(scene(48, 32), exif: exif(3))
        for count in stride(from: 0, to: file.count, by: 7) {
            #expect(throws: PhotoError.self) { try Photo(decoding: Array(file.prefix(count))) }
        }
    }

    @Test func `damaged and random files give a photo or a typed error`() throws {
        var random = SeededGenerator(seed: 7)
        let files = try [jpeg(scene(48, 32), exif: exif(8)), PNGEncoder.encode(scene(48, 32))]
        for round in 0..<400 {
            var file = files[round % 2]
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                file[Int.random(in: 8..<file.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(PhotoError) {
                let photo = try Photo(decoding: file).edited(edit).fitted(within: 32)
                #expect(photo.size.width <= 32 && photo.size.height <= 32)
            } catch { #expect(!error.description.isEmpty) }
        }
    }

    @Test func `errors say what to do`() {
        #expect(
            PhotoError.unknownFormat(firstBytes: [0x00, 0x1F], byteCount: 2).description
                == "The 2 bytes that begin with 00 1f are neither a JPEG nor a PNG file: save the photo in one of "
                + "these formats"
        )
        #expect(PhotoError.tooManyBytes(70_000_000).description.contains("at most 67108864"))
    }
}

extension PublishedTests {
    /// Where the codes of segments are in front of the picture data.
    private func segments(of file: [UInt8]) -> [(code: UInt8, content: ArraySlice<UInt8>)] {
        var (found, index) = ([(code: UInt8, content: ArraySlice<UInt8>)](), 2)
        while index + 4 <= file.count, file[index] == 0xFF {
            let length = Int(file[index + 2]) << 8 | Int(file[index + 3])
            found.append((file[index + 1], file[index + 4..<index + 2 + length]))
            guard file[index + 1] != 0xDA else { break }
            index += 2 + length
        }
        return found
    }

    private func markers(of file: [UInt8]) -> [UInt8] { segments(of: file).map(\.code) }

    private func quantisationTables(of file: [UInt8]) -> [[UInt8]] {
        segments(of: file).filter { $0.code == 0xDB }
            .flatMap { segment in
                stride(from: segment.content.startIndex, to: segment.content.endIndex, by: 65)
                    .map { Array(segment.content[$0 + 1..<$0 + 65]) }
            }
    }

    /// In which order a file has the numbers of a table (ITU-T T.81, figure A.6).
    private static let zigzag = (0..<64).sorted { left, right in
        let (a, b) = ((left / 8, left % 8), (right / 8, right % 8))
        let (first, second) = (a.0 + a.1, b.0 + b.1)
        if first != second { return first < second }
        return first.isMultiple(of: 2) ? a.0 > b.0 : a.0 < b.0
    }

    private static let standardLuma = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14,
        17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49,
        64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]
    private static let standardChroma = [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47,
        66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    ]
}
