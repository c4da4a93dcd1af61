import JPEG
import Services
import Testing

@Suite("Hostile JPEG bytes")
struct HostileJPEGTests {
    /// Flips, overwrites, cuts, doubles and splices `bytes`.
    static func mutated(_ bytes: [UInt8], _ numbers: inout TestNumbers) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
            guard result.count > 4 else { break }
            let at = Int.random(in: 0..<result.count, using: &numbers)
            let end = min(result.count, at + Int.random(in: 1...64, using: &numbers))
            switch Int.random(in: 0..<7, using: &numbers) {
            case 0: result[at] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: result[at] = .random(in: 0...255, using: &numbers)
            case 2: result.removeLast(result.count - at)
            case 3: result.insert(contentsOf: result[at..<end], at: at)
            case 4: result.removeSubrange(at..<end)
            case 5: for index in at..<end { result[index] = .random(in: 0...255, using: &numbers) }
            default:
                // Markers are in the first kilobyte; hit them often.
                result[at % min(700, result.count)] =
                    [0x00, 0xFF, 0x7F, 0xC0, 0xC2, 0xDA].randomElement(using: &numbers) ?? 0
            }
        }
        return result
    }

    @Test("thousands of mutated files decode or fail with a typed error, never otherwise", arguments: 0..<4)
    func mutations(seed: Int) throws {
        var numbers = TestNumbers(seed: UInt64(seed))
        let sources = try [
            "photo-2.jpg", "photo-9.jpeg", "photo-10.jpg", "photo-11-progressive.JPG", "photo-12-grey.jpg",
            "broken-cmyk.jpg",
        ].map { try Fixtures.bytes("folder/\($0)") }
        // A mutated header may announce far more pixels than the file has data for; a megapixel keeps that quick.
        let limits = JPEGLimits(maximumSide: 4_000, maximumArea: 1_000_000)
        let decoder = try JPEGDecoder(limits: limits)
        let ladder = try JPEGLadder(limit: 8_000, decoding: limits)
        var decoded = 0
        var refused = 0
        for round in 0..<600 {
            let file = Self.mutated(sources[round % sources.count], &numbers)
            do throws(JPEGError) {
                let picture = try decoder.decode(
                    file,
                    layout: round.isMultiple(of: 2) ? .i420 : .rgb,
                    tolerant: round.isMultiple(of: 3)
                )
                #expect(limits.allow(picture.size))
                decoded += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
            if let result = try? ladder.compress(Pictures.frame(file)) { #expect(result.jpeg.count < 8_000) }
            if let markers = try? JPEGMarkers(in: file) { #expect(markers.byteCount <= file.count) }
        }
        #expect(decoded > 30 && refused > 30)
    }

    @Test("after any refused file the same decoder reads the next good one")
    func recovery() throws {
        let good = try Fixtures.bytes("folder/photo-2.jpg")
        let expected = Pictures.bytes(of: try JPEGDecoder().decode(good))
        let decoder = try JPEGDecoder()
        // Each byte of the tables and headers in turn.
        var refused = 0
        for index in stride(from: 2, to: 620, by: 3) {
            var bad = good
            bad[index] = 0xFF
            if (try? decoder.decode(bad)) == nil { refused += 1 }
            #expect(Pictures.bytes(of: try decoder.decode(good)) == expected, "after byte \(index)")
        }
        #expect(refused > 30)
    }

    @Test("every truncation of a file is refused, and every tolerant decoding keeps the announced size")
    func truncations() throws {
        let file = try Fixtures.bytes("folder/photo-12-grey.jpg")
        let decoder = try JPEGDecoder()
        for count in 0..<(file.count - 2) where count % 3 == 0 || count < 700 {
            let cut = Array(file.prefix(count))
            #expect(throws: JPEGError.self) { try decoder.decode(cut) }
            if let picture = try? decoder.decode(cut, tolerant: true) {
                #expect(picture.size == PixelSize(width: 128, height: 96))
            }
        }
    }

    @Test func `a marker is found behind any number of fill bytes`() throws {
        for count in 0..<4 {
            let bytes = [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: count) + [0xFF, 0xD9]
            #expect(try JPEGMarkers(in: bytes).byteCount == bytes.count)
        }
    }

    @Test(arguments: [UInt8(0), 1])
    func `a segment that is shorter than its own length is malformed`(length: UInt8) {
        #expect(throws: JPEGMarkers.Failure.malformed) {
            try JPEGMarkers(in: [0xFF, 0xD8, 0xFF, 0xE0, 0x00, length, 0x00, 0xFF, 0xD9])
        }
    }
}
