import Foundation
import PNG
import Services
import TestSupport
import Testing

@Suite("PNG files")
struct PNGDecoderTests {
    /// Files of 16 × 8 pixels of other programs: the left half red, the right half blue, unless their names say otherwise.
    private static func file(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/Images/PNG")
        return Array(try Data(contentsOf: folder.appending(path: "\(name).png")))
    }

    /// The pixel at a place, as red, green and blue.
    private func pixel(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        unsafe picture.withBytes { bytes in
            let start = (y * picture.size.width + x) * 3
            return unsafe Array(bytes[start..<start + 3])
        }
    }

    @Test(arguments: ["rgb", "palette", "interlaced", "transparent"])
    func `a file of any kind becomes red, green and blue`(name: String) throws {
        let picture = try PNGDecoder.decode(try Self.file(name))
        #expect(picture.size == PixelSize(width: 16, height: 8) && picture.layout == .rgb)
        for x in [0, 7] { #expect(pixel(picture, x, 0) == [255, 0, 0]) }
        for x in [8, 15] { #expect(pixel(picture, x, 3) == [0, 0, 255]) }
        // What cannot be seen is white.
        let lower: [UInt8] = name == "transparent" ? [255, 255, 255] : [0, 0, 255]
        #expect(pixel(picture, 15, 7) == lower)
    }

    @Test func `a picture in colours is what it was after it has been a file`() throws {
        let picture = PixelBuffer(size: PixelSize(width: 5, height: 3), layout: .rgb)
        unsafe picture.withMutableBytes { bytes in
            for place in bytes.indices { unsafe bytes[place] = UInt8(place * 5) }
        }
        let file = try PNGEncoder.encode(picture)
        let again = try PNGDecoder.decode(file)
        #expect(try again.size == picture.size && PNGEncoder.encode(again) == file)
        for x in 0..<5 { for y in 0..<3 { #expect(pixel(again, x, y) == pixel(picture, x, y)) } }
    }

    @Test func `sixteen bits of grey become eight, from black to white`() throws {
        let picture = try PNGDecoder.decode(try Self.file("grey16"))
        #expect(pixel(picture, 0, 0) == [0, 0, 0] && pixel(picture, 15, 7) == [255, 255, 255])
        let row = (0..<16).map { pixel(picture, $0, 4)[0] }
        #expect(row == row.sorted() && Set(row).count == 16)
    }

    @Test func `a size that is not accepted is named, and nothing is allocated for it`() throws {
        let error = #expect(throws: PNGError.self) { try PNGDecoder.decode(try Self.file("huge")) }
        #expect(error == .tooLarge(width: 60_000, height: 60_000))
        #expect(error?.description.contains("60000 × 60000") == true)
    }

    @Test
    func
        `a file that is cut off or damaged anywhere is an error or a picture of its size, and nothing worse`()
        throws
    {
        var generator = SeededGenerator(seed: 3)
        for name in ["rgb", "palette", "interlaced", "transparent", "grey16"] {
            let file = try Self.file(name)
            for count in 0..<file.count - 12 {
                let error = #expect(throws: PNGError.self) {
                    try PNGDecoder.decode(Array(file.prefix(count)))
                }
                guard case .undecodable(let message, count)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(!message.isEmpty)
            }
            for _ in 0..<500 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    damaged[Int.random(in: 8..<file.count, using: &generator)] = .random(
                        in: 0...255,
                        using: &generator
                    )
                }
                _ = try? PNGDecoder.decode(damaged)
            }
        }
    }
}
