import JPEG
import Services
import Testing

@Suite("Small pictures of large files")
struct JPEGShrinkerTests {
    private func file(_ width: Int, _ height: Int) throws -> [UInt8] {
        let pool = PixelBufferPool(size: PixelSize(width: width, height: height), layout: .rgb)
        let picture = unsafe pool.makeBuffer { bytes in
            for index in 0..<bytes.count {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index / 3 % width)
            }
        }
        return try JPEGEncoder().encode(picture, quality: 90)
    }

    @Test(
        "the largest eighths that fit are taken",
        arguments: [
            ((1_280, 720), (480, 270)), ((1_920, 1_080), (480, 270)), ((720, 1_281), (180, 321)),
            ((300, 200), (300, 200)), ((4_800, 8), (600, 1)), ((1, 1), (1, 1)),
        ]
    )
    func sizes(_ from: (Int, Int), _ to: (Int, Int)) throws {
        let small = try JPEGShrinker(side: 480).shrink(file(from.0, from.1))
        #expect(try JPEGDecoder().header(of: small).size == PixelSize(width: to.0, height: to.1))
    }

    @Test func `the picture stays the same`() throws {
        let pool = PixelBufferPool(size: PixelSize(width: 800, height: 800), layout: .rgb)
        let halves = unsafe pool.makeBuffer { bytes in
            for index in 0..<bytes.count { unsafe bytes[index] = index / 3 % 800 < 400 ? 30 : 220 }
        }
        let shrinker = try JPEGShrinker(side: 100)
        let small = try JPEGDecoder().decode(
            shrinker.shrink(JPEGEncoder().encode(halves, quality: 90)),
            layout: .rgb
        )
        try unsafe small.withBytes { bytes throws in
            #expect(unsafe (20...40).contains(bytes[3 * (50 * 100 + 20)]))
            #expect(unsafe (210...230).contains(bytes[3 * (50 * 100 + 80)]))
        }
    }

    @Test func `what a camera says about its position is kept, and nothing else`() throws {
        let plain = try file(640, 480)
        let exif: [UInt8] = [0xFF, 0xE1, 0, 14] + Array("Exif\0\0".utf8) + [1, 2, 3, 4, 5, 6]
        let other: [UInt8] = [0xFF, 0xED, 0, 6, 9, 9, 9, 9]
        let shrinker = try JPEGShrinker(side: 100)
        let small = try shrinker.shrink(Array(plain[..<2] + other + exif + plain[2...]))
        #expect(Array(small[2..<18]) == exif)
        #expect(try Array(small[..<2] + small[18...]) == shrinker.shrink(plain))
        // A segment that reaches past the end is none.
        #expect(throws: JPEGError.self) { try shrinker.shrink(Array(plain[..<2] + exif[..<4])) }
    }
}
