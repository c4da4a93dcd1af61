import FakeCamera
import JPEG
import Services
import Testing

@Suite("JPEG ladder")
struct JPEGLadderTests {
    private static let qualities = [80, 70, 60, 50, 40, 30, 20, 10]

    /// What the ladder must find, by trying every rung from the top.
    private func plainLadder(_ picture: PixelBuffer, limit: Int) throws -> (quality: Int, file: [UInt8])? {
        let encoder = try JPEGEncoder()
        for quality in Self.qualities {
            let file = try encoder.encode(picture, quality: quality)
            if file.count < limit { return (quality, file) }
        }
        return nil
    }

    @Test(
        "LENS-092 quality is lowered step by step to the first that fits, and a frame that fits keeps the first"
    )
    func firstFittingRung() throws {
        var seen: Set<Int> = []
        for grain in [0, 4, 10, 20, 35, 60, 90] {
            let picture = Pictures.gradient(640, 480, .i420, grain: grain)
            for limit in [30_000, 50_000, 80_000] {
                guard let expected = try plainLadder(picture, limit: limit) else { continue }
                let result = try JPEGLadder(limit: limit).compress(Pictures.frame(picture))
                #expect(result.quality == expected.quality, "grain \(grain), limit \(limit)")
                // Not compared in the expectation, which would take minutes to describe the difference.
                let isSame = result.jpeg == expected.file
                #expect(isSame)
                #expect(result.downscales == 0)
                seen.insert(expected.quality)
            }
        }
        #expect(seen.count >= 6, "the pictures above reach most rungs: \(seen.sorted())")
        // And below the 200 KB that are meant.
        for (size, grain) in [((320, 180), 0), ((1_280, 720), 50), ((1_280, 720), 70)] {
            let picture = Pictures.gradient(size.0, size.1, .i420, grain: grain)
            let expected = try #require(try plainLadder(picture, limit: 204_800))
            let result = try JPEGLadder().compress(Pictures.frame(picture))
            let isSame = result.jpeg == expected.file
            #expect(result.quality == expected.quality && isSame)
            #expect((grain == 0) == (expected.quality == 80))
        }
    }

    @Test("a picture that is rough in one corner only gets the first rung that fits as well")
    func unevenPicture() throws {
        let picture = Pictures.gradient(960, 540, .i420)
        let rough = Pictures.bytes(of: Pictures.gradient(960, 540, .i420, grain: 110))
        unsafe picture.withMutableBytes { bytes in
            for y in 300..<540 { for x in 500..<960 { unsafe bytes[y * 960 + x] = rough[y * 960 + x] } }
        }
        var seen: Set<Int> = []
        for limit in stride(from: 20_000, to: 90_000, by: 3_100) {
            guard let expected = try plainLadder(picture, limit: limit) else { continue }
            let result = try JPEGLadder(limit: limit).compress(Pictures.frame(picture))
            #expect(result.quality == expected.quality, "limit \(limit)")
            seen.insert(expected.quality)
        }
        #expect(seen.count >= 5, "the limits above reach most rungs: \(seen.sorted())")
    }

    @Test(
        "the standard limit keeps quality 80 for a small frame and lowers it for a rough large one"
    )
    func standardLimit() throws {
        let ladder = try JPEGLadder()
        #expect(ladder.limit == 204_800)
        #expect(try ladder.compress(Pictures.frame(Pictures.gradient(320, 180, .i420))).quality == 80)
        let rough = Pictures.gradient(1_280, 720, .i420, grain: 50)
        let result = try ladder.compress(Pictures.frame(rough))
        #expect(result.quality ?? 80 < 80)
        #expect(result.jpeg.count < 204_800)
    }

    @Test("LENS-093 a file of exactly the limit is reduced again, one byte less is kept")
    func strictlyBelow() throws {
        let picture = Pictures.gradient(160, 120, .i420, grain: 30)
        let size = try JPEGEncoder().encode(picture, quality: 80).count
        #expect(try JPEGLadder(limit: size + 1).compress(Pictures.frame(picture)).quality == 80)
        #expect(try JPEGLadder(limit: size).compress(Pictures.frame(picture)).quality == 70)
        // A camera's file, made as long as is needed by a comment.
        let file = try JPEGEncoder().encode(picture, quality: 80)
        for (byteCount, isKept) in [(204_799, true), (204_800, false), (204_801, false)] {
            var long = Array(file.prefix(2))
            while long.count + file.count - 2 < byteCount {
                let room = min(byteCount - long.count - (file.count - 2), 65_000)
                // What is left over for the next comment is none, or enough for one.
                let length = byteCount - long.count - (file.count - 2) - room < 4 ? room : room - 4
                long += [0xFF, 0xFE, UInt8((length - 2) >> 8), UInt8((length - 2) & 255)]
                long += [UInt8](repeating: 0x20, count: length - 4)
            }
            long += file.dropFirst(2)
            #expect(long.count == byteCount)
            let result = try JPEGLadder().compress(Pictures.frame(long))
            #expect((result.jpeg == long) == isKept && result.jpeg.count < 204_800, "\(byteCount) bytes")
        }
    }

    @Test("LENS-094 the limit counts the bytes of the JPEG file itself, not of any text made from them")
    func limitIsOnBytes() throws {
        // Between three quarters of the limit and the limit: base64 would be above it.
        let picture = Pictures.gradient(160, 120, .i420, grain: 30)
        let size = try JPEGEncoder().encode(picture, quality: 80).count
        let result = try JPEGLadder(limit: size * 11 / 10).compress(Pictures.frame(picture))
        #expect(result.quality == 80)
        #expect(result.jpeg.count * 4 / 3 > size * 11 / 10)
    }

    @Test(
        "LENS-095 noise that exceeds the limit at the lowest quality is scaled by ×0.75 until it fits, or refused and counted"
    )
    func noiseIsDownscaled() throws {
        let size = PixelSize(width: 1_280, height: 720)
        let camera = FakeCamera(.init(size: size, scene: .noise))
        let limit = 60_000
        let ladder = try JPEGLadder(limit: limit)
        let result = try ladder.compress(camera.frame(0))
        #expect(result.jpeg.count < limit)
        #expect(result.quality == 10)
        #expect(result.downscales >= 1)
        var expected = size
        for _ in 0..<result.downscales {
            expected = PixelSize(width: expected.width * 3 / 4, height: expected.height * 3 / 4)
        }
        #expect(result.size == expected)
        #expect(try JPEGDecoder().header(of: result.jpeg).size == expected)
        #expect(ladder.statistics.downscaled == 1)

        let strict = try JPEGLadder(limit: 1_024)
        let flat = Pictures.gradient(16, 2_000, .i420, grain: 120)
        #expect(throws: JPEGError.self) { try strict.compress(Pictures.frame(flat)) }
        #expect(strict.statistics.failures == 1)
    }

    @Test(
        "LENS-096 the same frame gives the same quality and bytes, whatever came before, and each rung is smaller"
    )
    func functionOfTheFrame() throws {
        let frames = [0, 5, 12, 25, 60, 120].map {
            Pictures.frame(Pictures.gradient(320, 240, .i420, grain: $0))
        }
        let limit = 12_000
        let alone = try frames.map { try JPEGLadder(limit: limit).compress($0) }
        var numbers = TestNumbers(seed: 96)
        let shared = try JPEGLadder(limit: limit)
        for _ in 0..<40 {
            let index = Int.random(in: frames.indices, using: &numbers)
            #expect(try shared.compress(frames[index]) == alone[index])
        }
        #expect(Set(alone.map(\.quality)).count >= 3)

        let encoder = try JPEGEncoder()
        for grain in [0, 20, 100] {
            let picture = Pictures.gradient(320, 240, .i420, grain: grain)
            let sizes = try Self.qualities.map { try encoder.encode(picture, quality: $0).count }
            #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 > $1 })
        }
    }

    @Test("a moving scene costs at most 1.3 encodes a frame, samples included")
    func fewEncodes() throws {
        let ladder = try JPEGLadder()
        var plainEncodes = 0
        var qualities: Set<Int> = []
        for detail in [0.1, 0.3, 0.45, 0.6, 0.8, 1] {
            let size = PixelSize(width: 1_280, height: 720)
            let camera = FakeCamera(.init(size: size, scene: .shapes(detail: detail)))
            for number in stride(from: 0, to: 60, by: 12) {
                let result = try ladder.compress(camera.frame(number))
                #expect(result.jpeg.count < ladder.limit)
                let quality = try #require(result.quality)
                qualities.insert(quality)
                plainEncodes += (90 - quality) / 10
            }
        }
        #expect(ladder.statistics.encodesPerFrame <= 1.3, "\(ladder.statistics.encodesPerFrame)")
        #expect(qualities.count >= 3)
        #expect(Double(plainEncodes) / Double(ladder.statistics.frames) > 2.5, "the scene is no easy one")
    }

    @Test(
        "LENS-097 a camera's JPEG below the limit is passed on byte for byte, and any other encoded again below it"
    )
    func passThrough() throws {
        let file = try Fixtures.bytes("folder/photo-10.jpg")
        let ladder = try JPEGLadder()
        let result = try ladder.compress(Pictures.frame(file))
        let isUnchanged = result.jpeg == file
        #expect(isUnchanged)
        #expect(result.quality == nil)
        #expect(result.size == PixelSize(width: 241, height: 161))
        #expect(ladder.statistics.encodes == 0)
        #expect(ladder.statistics.passedThrough == 1)

        let large = try Fixtures.bytes("folder/photo-2.jpg")
        let again = try JPEGLadder(limit: large.count).compress(Pictures.frame(large))
        #expect(again.jpeg.count < large.count)
        #expect(again.quality != nil)
        #expect(try JPEGDecoder().decode(again.jpeg).size == PixelSize(width: 320, height: 240))
    }

    @Test(
        "a camera's JPEG without Huffman tables is encoded again, since not every decoder knows the standard ones"
    )
    func missingTables() throws {
        let whole = try JPEGEncoder().encode(Pictures.gradient(64, 48), quality: 80)
        let result = try JPEGLadder().compress(Pictures.frame(whole.withoutHuffmanTables()))
        #expect(result.quality == 80)
        #expect(try JPEGMarkers(in: result.jpeg).hasHuffmanTables == true)
    }

    @Test(
        "a frame that cannot be decoded is a typed, counted error, and the next one is compressed",
        arguments: ["broken-empty.jpg", "broken-text.jpg", "broken-truncated.jpg", "broken-cmyk.jpg"]
    )
    func undecodable(name: String) throws {
        let ladder = try JPEGLadder()
        let broken = try Fixtures.bytes("folder/\(name)")
        #expect(throws: JPEGError.self) { try ladder.compress(Pictures.frame(broken)) }
        #expect(ladder.statistics.failures == 1)
        #expect(try ladder.compress(Pictures.frame(Pictures.gradient(32, 32))).quality == 80)
    }
}
