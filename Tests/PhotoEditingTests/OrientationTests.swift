import JPEG
import PNG
import Services
import TestSupport
import Testing

@testable import PhotoEditing

@Suite("Photos turned upright")
struct OrientationTests {
    @Test func `each orientation puts the first stored row and column where Exif says`() {
        // The corners of 3 × 2 stored pixels, as they are seen: upper left, upper right, lower left, lower right.
        let (a, b, c, d) = ((0, 0), (2, 0), (0, 1), (2, 1))
        let seen: [PhotoOrientation: [(Int, Int)]] = [
            .up: [a, b, c, d], .upMirrored: [b, a, d, c], .down: [d, c, b, a], .downMirrored: [c, d, a, b],
            .leftMirrored: [a, c, b, d], .right: [c, a, d, b], .rightMirrored: [d, b, c, a],
            .left: [b, d, a, c],
        ]
        let stored = numbered(3, 2)
        #expect(seen.count == PhotoOrientation.allCases.count)
        for (orientation, corners) in seen {
            let shown = stored.upright(orientation)
            let turned = orientation.rawValue >= 5
            #expect(shown.size == PixelSize(width: turned ? 2 : 3, height: turned ? 3 : 2))
            let (right, bottom) = (shown.size.width - 1, shown.size.height - 1)
            let places = [(0, 0), (right, 0), (0, bottom), (right, bottom)]
            for (place, corner) in zip(places, corners) {
                #expect(shown.pixel(place.0, place.1) == stored.pixel(corner.0, corner.1), "\(orientation)")
            }
        }
    }

    @Test(arguments: PhotoOrientation.allCases)
    func `what is turned or mirrored and back again is the same`(_ orientation: PhotoOrientation) {
        let stored = numbered(7, 5)
        let inverse: PhotoOrientation =
            switch orientation {
            case .right: .left
            case .left: .right
            default: orientation
            }
        #expect(stored.upright(orientation).upright(inverse).contents == stored.contents)
    }

    @Test(arguments: PhotoOrientation.allCases, [false, true])
    func `a JPEG file is shown as its Exif data say, in both orders of bytes`(
        _ orientation: PhotoOrientation,
        _ littleEndian: Bool
    ) throws {
        let file = try jpeg(scene(40, 24), exif: exif(orientation.rawValue, littleEndian: littleEndian))
        let stored = try JPEGDecoder().decode(file, layout: .rgb)
        #expect(try Photo(decoding: file).pixels.contents == stored.upright(orientation).contents)
    }

    @Test func `a PNG file is shown as its Exif data say`() throws {
        let stored = numbered(9, 4)
        let file = try PNGEncoder.encode(stored)
        // Behind the signature and the header; the picture data come later.
        let data = exif(6)
        let chunk = [0, 0, 0, UInt8(data.count)] + Array("eXIf".utf8) + data
        let turned = file[..<33] + chunk + checksum(of: chunk[4...]) + file[33...]
        #expect(try Photo(decoding: Array(turned)).pixels.contents == stored.upright(.right).contents)
        #expect(try Photo(decoding: file).pixels.contents == stored.contents)
    }

    @Test func `Exif data that make no sense leave a photo as it is stored`() {
        #expect(PhotoOrientation(exif: exif(6)[...]) == .right)
        #expect(PhotoOrientation(exif: exif(0)[...]) == nil)
        #expect(PhotoOrientation(exif: exif(9)[...]) == nil)
        #expect(PhotoOrientation(exif: []) == nil)
        for count in 0..<32 { #expect(PhotoOrientation(exif: exif(6).prefix(count)) == nil) }
        // A directory beyond the end, and one that is 65,535 entries long.
        #expect(PhotoOrientation(exif: [0x4D, 0x4D, 0, 42, 255, 255, 255, 255]) == nil)
        #expect(PhotoOrientation(exif: [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 255, 255]) == nil)
    }

    @Test func `Exif data of any content are read without a trap`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            var data = exif(Int.random(in: 0...9, using: &random), littleEndian: .random(using: &random))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = PhotoOrientation(exif: data.prefix(Int.random(in: 0...data.count, using: &random)))
        }
    }

    /// CRC-32 (PNG, third edition, annex D).
    private func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var register: UInt32 = .max
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~register >> $0) }
    }
}
