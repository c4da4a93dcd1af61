import JPEG
import Services
import Testing

@Suite("JPEG files")
struct JPEGCodecTests {
    @Test(
        "LENS-091 a frame becomes a whole JPEG file that decodes at the source's dimensions",
        arguments: [PixelBuffer.Layout.rgb, .i420],
        [(64, 48), (33, 17), (1, 1), (640, 361)]
    )
    func roundTrip(layout: PixelBuffer.Layout, size: (Int, Int)) throws {
        let picture = Pictures.gradient(size.0, size.1, layout)
        let file = try JPEGEncoder().encode(picture, quality: 90)
        #expect(file.prefix(2) == [0xFF, 0xD8])
        #expect(file.suffix(2) == [0xFF, 0xD9])
        let decoder = try JPEGDecoder()
        #expect(
            try decoder.header(of: file)
                == JPEGHeader(size: picture.size, subsampling: .yuv420, colorspace: .yCbCr)
        )
        let decoded = try decoder.decode(file, layout: layout)
        #expect(decoded.size == picture.size)
        #expect(Pictures.distance(picture, decoded) < 4)
    }

    @Test(
        "each stored subsampling decodes to the same picture in both layouts",
        arguments: [
            ("folder/photo-2.jpg", JPEGHeader.Subsampling.yuv420), ("folder/photo-10.jpg", .yuv444),
            ("folder/photo-9.jpeg", .yuv422),
            ("folder/photo-11-progressive.JPG", .yuv420), ("folder/photo-12-grey.jpg", .grey),
            ("chroma-440.jpg", .yuv440), ("chroma-411.jpg", .yuv411),
        ]
    )
    func subsampling(name: String, expected: JPEGHeader.Subsampling) throws {
        let file = try Fixtures.bytes(name)
        let decoder = try JPEGDecoder()
        #expect(try decoder.header(of: file).subsampling == expected)
        let planar = try decoder.decode(file, layout: .i420)
        let rgb = try decoder.decode(file, layout: .rgb)
        // The encoder's input does not matter when both show the same.
        let encoder = try JPEGEncoder()
        let fromPlanar = try decoder.decode(encoder.encode(planar, quality: 95), layout: .rgb)
        #expect(Pictures.distance(rgb, fromPlanar) < 4)
    }

    @Test("a steady stream of one size is decoded into recycled buffers")
    func recycling() throws {
        let decoder = try JPEGDecoder()
        let file = try Fixtures.bytes("folder/photo-2.jpg")
        let first = ObjectIdentifier(try decoder.decode(file))
        for _ in 0..<5 { #expect(ObjectIdentifier(try decoder.decode(file)) == first) }
        let held = try decoder.decode(file)
        #expect(try decoder.decode(file) !== held)
    }

    @Test("too many pixels are refused by the header, before anything is allocated")
    func limits() throws {
        let file = try Fixtures.bytes("folder/broken-wide.jpg")
        let narrow = JPEGLimits(maximumSide: 11_999, maximumArea: 1_000_000)
        #expect(throws: JPEGError.tooLarge(PixelSize(width: 12_000, height: 8), limits: narrow)) {
            try JPEGDecoder(limits: narrow).decode(file)
        }
        let small = JPEGLimits(maximumSide: 12_000, maximumArea: 95_999)
        #expect(throws: JPEGError.tooLarge(PixelSize(width: 12_000, height: 8), limits: small)) {
            try JPEGDecoder(limits: small).decode(file)
        }
        #expect(try JPEGDecoder().decode(file).size.width == 12_000)
        // A frame header of 65,500 × 65,500 pixels would take 12 GB.
        var huge = try Fixtures.bytes("folder/photo-2.jpg")
        let frame = try #require(huge.indices.first { huge[$0] == 0xFF && huge[$0 + 1] == 0xC0 })
        huge.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(throws: JPEGError.tooLarge(PixelSize(width: 65_500, height: 65_500), limits: .standard)) {
            try JPEGDecoder().decode(huge)
        }
    }

    @Test func `a picture of exactly the limit is decoded, and one of a pixel more is refused`() throws {
        let file = try Fixtures.bytes("folder/photo-12-grey.jpg")
        let size = PixelSize(width: 128, height: 96)
        let exact = JPEGLimits(maximumSide: 128, maximumArea: 128 * 96)
        #expect(try JPEGDecoder(limits: exact).decode(file).size == size)
        for limits in [
            JPEGLimits(maximumSide: 127, maximumArea: 128 * 96),
            JPEGLimits(maximumSide: 128, maximumArea: 128 * 96 - 1),
        ] {
            #expect(throws: JPEGError.tooLarge(size, limits: limits)) {
                try JPEGDecoder(limits: limits).decode(file)
            }
        }
        let tall = JPEGLimits(maximumSide: 128, maximumArea: .max)
        #expect(tall.allow(PixelSize(width: 1, height: 128)))
        #expect(!tall.allow(PixelSize(width: 1, height: 129)))
        #expect(!tall.allow(PixelSize(width: 0, height: 1)))
    }

    @Test("CMYK is refused by name")
    func cmyk() throws {
        let file = try Fixtures.bytes("folder/broken-cmyk.jpg")
        #expect(throws: JPEGError.unsupportedColorspace(.cmyk)) { try JPEGDecoder().decode(file) }
    }

    @Test("a truncated file is an error with TurboJPEG's warning, or half a picture where that was asked for")
    func truncation() throws {
        let file = try Fixtures.bytes("folder/broken-truncated.jpg")
        let decoder = try JPEGDecoder()
        let error = #expect(throws: JPEGError.self) { try decoder.decode(file) }
        guard case .damaged(let message, file.count) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(message.contains("Premature end of JPEG file"))
        let rest = try decoder.decode(file, tolerant: true)
        #expect(rest.size == PixelSize(width: 320, height: 240))
    }

    @Test(
        "bytes that are no JPEG are refused with TurboJPEG's reason",
        arguments: [[], [0xFF], Array("no picture".utf8)]
    )
    func garbage(bytes: [UInt8]) throws {
        let error = #expect(throws: JPEGError.self) { try JPEGDecoder().decode(bytes) }
        guard case .undecodable(let message, bytes.count) = error else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(!message.isEmpty && message != "No error")
    }

    @Test("every error says what happened to what")
    func descriptions() {
        let size = PixelSize(width: 7, height: 9)
        let errors: [(JPEGError, String)] = [
            (.handleUnavailable(message: "m!"), "m!"), (.undecodable(message: "m!", byteCount: 5), "5 bytes"),
            (.damaged(message: "m!", byteCount: 5), "m!"), (.truncated(byteCount: 5), "end-of-image"),
            (.unsupportedColorspace(.ycck), "YCCK"), (.tooLarge(size, limits: .standard), "7×9"),
            (.encodingFailed(message: "m!", size: size, quality: 3), "quality 3"),
            (.doesNotFit(limit: 2_000, size: size), "2000"),
        ]
        for (error, part) in errors { #expect(error.description.contains(part)) }
    }

    @Test("markers delimit a file inside a concatenation, and tell missing Huffman tables")
    func markers() throws {
        let file = try Fixtures.bytes("folder/photo-9.jpeg")
        let markers = try JPEGMarkers(in: file + file)
        #expect(markers.byteCount == file.count)
        #expect(markers.hasHuffmanTables)
        #expect(try JPEGMarkers(in: file + file, from: file.count).byteCount == file.count)
        #expect(throws: JPEGMarkers.Failure.incomplete) { try JPEGMarkers(in: file.dropLast(2)) }
        let twice = try Fixtures.bytes("folder/broken-truncated.jpg") + file
        #expect(throws: JPEGMarkers.Failure.malformed) { try JPEGMarkers(in: twice) }
        #expect(throws: JPEGMarkers.Failure.malformed) { try JPEGMarkers(in: [0x42, 0x4D, 0, 0]) }
        #expect(try JPEGMarkers(in: file.withoutHuffmanTables()).hasHuffmanTables == false)
    }
}

extension [UInt8] {
    /// Removes all DHT segments, as some Motion-JPEG cameras do.
    func withoutHuffmanTables() -> [UInt8] {
        var result = Array(self[..<2])
        var index = 2
        while index + 4 <= count, self[index + 1] != 0xDA {
            let end = index + 2 + Int(self[index + 2]) << 8 + Int(self[index + 3])
            if self[index + 1] != 0xC4 { result += self[index..<end] }
            index = end
        }
        return result + self[index...]
    }
}
