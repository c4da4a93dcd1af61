import Services
import Testing

@testable import JPEG

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
        "the longer side has exactly the pixels that are wanted, the other one as many as the aspect says",
        arguments: [
            ((1_280, 720), (320, 180)), ((1_920, 1_080), (320, 180)), ((720, 1_281), (180, 320)),
            ((640, 480), (320, 240)), ((2_559, 1_707), (320, 213)), ((1_283, 1_283), (320, 320)),
            ((321, 200), (320, 199)), ((321, 321), (320, 320)), ((300, 200), (300, 200)),
            ((320, 8), (320, 8)), ((4_800, 8), (320, 1)), ((8, 11_000), (1, 320)), ((1, 1), (1, 1)),
        ]
    )
    func sizes(_ from: (Int, Int), _ to: (Int, Int)) throws {
        let small = try JPEGShrinker(side: 320).shrink(file(from.0, from.1))
        #expect(try JPEGDecoder().header(of: small).size == PixelSize(width: to.0, height: to.1))
    }

    @Test(arguments: [800, 777]) func `the picture stays the same`(_ side: Int) throws {
        let pool = PixelBufferPool(size: PixelSize(width: side, height: side), layout: .rgb)
        let halves = unsafe pool.makeBuffer { bytes in
            for index in 0..<bytes.count { unsafe bytes[index] = index / 3 % side < side / 2 ? 30 : 220 }
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

    @Test func `each pixel of a smaller picture is the average of what it covers, in both directions`() throws
    {
        // Bytes of 7 × 5 pixels that are told from each other; of them 3 × 2 are made.
        let (from, to) = (PixelSize(width: 7, height: 5), PixelSize(width: 3, height: 2))
        let picture = unsafe PixelBufferPool(size: from, layout: .rgb).makeBuffer { bytes in
            for index in 0..<bytes.count {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index * index * 7)
            }
        }
        let large = unsafe picture.withBytes { unsafe [UInt8]($0) }
        let small = unsafe picture.averaged(to: to).withBytes { unsafe [UInt8]($0) }
        // The same by another way: every pixel divided into 3 × 2 parts, of which each average has 7 × 5.
        for y in 0..<to.height {
            for x in 0..<to.width {
                for channel in 0..<3 {
                    var sum = 0
                    for part in 0..<from.area {
                        let column = (x * from.width + part % from.width) / to.width
                        let row = (y * from.height + part / from.width) / to.height
                        sum += Int(large[3 * (row * from.width + column) + channel])
                    }
                    let expected = UInt8((2 * sum + from.area) / (2 * from.area))
                    #expect(small[3 * (y * to.width + x) + channel] == expected)
                }
            }
        }
        let same = unsafe picture.averaged(to: from).withBytes { unsafe [UInt8]($0) }
        #expect(same == large)
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
