import Foundation
import JPEG
import PNG
import QRCode
import Services
import TestSupport
import Testing

@Suite("QR codes")
struct QRCodeTests {
    private let reader = QRCodeReader()

    /// Texts with what codes of networks and cameras may have.
    static let texts = [
        "x", #"{"BS":"NULL","P":"pa;ss\"wo:rd\\,","U":"0","RS":"Käse; \"Küche\": 5 GHz"}"#,
        #"{"ACT":"Add","ID":"VSTB123456ABCDE","WiFi":"21","S":"0"}"#, "WIFI:T:WPA;S:a\\;b;P:c\\:d;;",
        "厨房のカメラ 🎥 ÄÖÜß", "1234567890123456789012345", "ALPHANUMERIC $%*+-./:", "line\nline\ttab",
        String(repeating: "Ünïcödé;:\"", count: 60),
    ]

    private func read(_ frame: VideoFrame) throws -> [String?] { try reader.read(frame).map(\.text) }

    private func frame(_ content: VideoFrame.Content) -> VideoFrame {
        VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: content)
    }

    // MARK: There and back

    @Test(arguments: texts)
    func `a text comes back out of a picture of its code, in pixels, JPEG and PNG`(text: String) throws {
        for correction in QRCodeMaker.Correction.allCases {
            let symbol = try QRCodeMaker(correction: correction).symbol(of: text)
            let picture = symbol.picture(moduleSide: 4)
            #expect(try reader.read(picture).map(\.text) == [text])
            #expect(try read(frame(.pixels(picture.pixelBuffer()))) == [text])
            let jpeg = try JPEGEncoder().encode(picture.pixelBuffer(), quality: 70)
            #expect(try read(frame(.jpeg(jpeg))) == [text])
            let png = try PNGDecoder.decode(try PNGEncoder.encode(picture))
            #expect(png.layout == .rgb && png.size == picture.size)
            #expect(try read(frame(.pixels(png))) == [text])
        }
    }

    @Test func `bytes that are no text come back as they are, and are no text`() throws {
        let bytes: [UInt8] = [0xFF, 0, 0xC3, 0x28, 0x80, 0xFE]
        let payloads = try reader.read(try QRCodeMaker().symbol(of: bytes).picture())
        #expect(payloads.map(\.bytes) == [bytes] && payloads.map(\.text) == [nil])
    }

    @Test func `the same text always gives the same code, with the marks of QR codes in three corners`()
        throws
    {
        let symbol = try QRCodeMaker().symbol(of: "one")
        #expect(try QRCodeMaker().symbol(of: "one") == symbol && symbol.side == 21)
        #expect(try QRCodeMaker().symbol(of: "two") != symbol)
        for (row, column) in [(0, 0), (0, 14), (14, 0)] {
            #expect((0..<7).allSatisfy { symbol.isDark(row: row, column: column + $0) })
            #expect(!symbol.isDark(row: row + 1, column: column + 1))
            #expect(symbol.isDark(row: row + 3, column: column + 3))
        }
        #expect(!symbol.isDark(row: -1, column: 0) && !symbol.isDark(row: 0, column: 21))
    }

    @Test func `a picture has the quiet zone around the modules`() throws {
        let symbol = try QRCodeMaker().symbol(of: "one")
        let picture = symbol.picture(moduleSide: 3)
        #expect(picture.size == PixelSize(width: 87, height: 87))
        for row in 0..<87 {
            for column in 0..<87 {
                let isDark = symbol.isDark(row: row / 3 - 4, column: column / 3 - 4)
                #expect(picture.pixels[row * 87 + column] == (isDark ? 0 : 255))
            }
        }
    }

    @Test func `the lines for a terminal show two rows of modules each, and can be read back`() throws {
        let text = "terminal; ü"
        let symbol = try QRCodeMaker().symbol(of: text)
        for lightIsDrawn in [true, false] {
            let lines = symbol.terminalLines(lightIsDrawn: lightIsDrawn)
            let width = symbol.side + 8
            #expect(lines.count == (width + 1) / 2 && lines.allSatisfy { $0.count == width })
            var pixels: [UInt8] = []
            for line in lines {
                for half in ["▀", "▄"] as [Character] {
                    for character in line {
                        let isDrawn = character == "█" || character == half
                        for _ in 0..<4 { pixels.append(isDrawn == lightIsDrawn ? 255 : 0) }
                    }
                }
            }
            // Each row four times, as each module in it.
            let rows = stride(from: 0, to: pixels.count, by: width * 4).flatMap { start in
                (0..<4).flatMap { _ in pixels[start..<start + width * 4] }
            }
            let size = PixelSize(width: width * 4, height: rows.count / (width * 4))
            #expect(try reader.read(GrayPicture(size: size, pixels: rows)).map(\.text) == [text])
        }
    }

    // MARK: Pictures of cameras

    /// A picture of a code on a grey table, turned, small, with noise.
    private func photo(
        of symbol: BarcodeSymbol,
        degrees: Double = 0,
        noise: Int = 0,
        seed: UInt64 = 1,
        size: PixelSize = PixelSize(width: 640, height: 480),
        moduleSide: Double = 7
    ) -> GrayPicture {
        var generator = SeededGenerator(seed: seed)
        let code = symbol.picture(moduleSide: 1)
        let angle = degrees * .pi / 180
        let (sine, cosine) = (sin(angle), cos(angle))
        var pixels: [UInt8] = []
        for row in 0..<size.height {
            for column in 0..<size.width {
                let (x, y) = (Double(column - size.width / 2), Double(row - size.height / 2))
                let across = Int(
                    ((x * cosine + y * sine) / moduleSide + Double(code.size.width) / 2).rounded(.down)
                )
                let down = Int(
                    ((y * cosine - x * sine) / moduleSide + Double(code.size.height) / 2).rounded(.down)
                )
                var value = 140
                if (0..<code.size.width).contains(across), (0..<code.size.height).contains(down) {
                    value = code.pixels[down * code.size.width + across] == 0 ? 40 : 210
                }
                if noise > 0 { value += Int.random(in: -noise...noise, using: &generator) }
                pixels.append(UInt8(clamping: value))
            }
        }
        return GrayPicture(size: size, pixels: pixels)
    }

    @Test(arguments: [0, 10, 30, 45, 90, 135, 180, 270])
    func `a code that is turned is read, as a JPEG file too`(degrees: Int) throws {
        let text = Self.texts[2]
        let photo = photo(of: try QRCodeMaker(correction: .medium).symbol(of: text), degrees: Double(degrees))
        #expect(try reader.read(photo).map(\.text) == [text])
        let jpeg = try JPEGEncoder().encode(photo.pixelBuffer(), quality: 50)
        #expect(try read(frame(.jpeg(jpeg))) == [text])
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a code is read through noise and strong compression`(seed: UInt64) throws {
        let text = Self.texts[1]
        let photo = photo(of: try QRCodeMaker().symbol(of: text), degrees: 5, noise: 40, seed: seed)
        #expect(try reader.read(photo).map(\.text) == [text])
        let jpeg = try JPEGEncoder().encode(photo.pixelBuffer(), quality: 20)
        #expect(try read(frame(.jpeg(jpeg))) == [text])
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a code that fills a large picture is read through noise`(seed: UInt64) throws {
        let text = Self.texts[1]
        let photo = photo(
            of: try QRCodeMaker().symbol(of: text),
            degrees: Double(seed) * 7,
            noise: 40,
            seed: seed,
            size: PixelSize(width: 1000, height: 1000),
            moduleSide: 20
        )
        #expect(try reader.read(photo).map(\.text) == [text])
    }

    @Test(arguments: [0, 5, 10, 30, 45, 90, 135, 180])
    func `a small code is read through strong compression`(degrees: Int) throws {
        for text in Self.texts[1...2] {
            let photo = photo(
                of: try QRCodeMaker().symbol(of: text),
                degrees: Double(degrees),
                noise: 20,
                moduleSide: 3
            )
            let jpeg = try JPEGEncoder().encode(photo.pixelBuffer(), quality: 20)
            #expect(try read(frame(.jpeg(jpeg))) == [text])
        }
    }

    @Test func `a damaged JPEG file is read as far as its code goes`() throws {
        let picture = try QRCodeMaker(correction: .high).symbol(of: "label").picture(moduleSide: 6)
        let jpeg = try JPEGEncoder().encode(picture.pixelBuffer(), quality: 80)
        #expect(try read(frame(.jpeg(Array(jpeg.dropLast(200))))) == ["label"])
    }

    @Test func `a picture without a code has none`() throws {
        var generator = SeededGenerator(seed: 5)
        let size = PixelSize(width: 320, height: 240)
        let noise = (0..<size.area).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for pixels in [noise, Array(repeating: 255, count: size.area), Array(repeating: 0, count: size.area)]
        {
            #expect(try reader.read(GrayPicture(size: size, pixels: pixels)) == [])
        }
        #expect(try reader.read(GrayPicture(size: PixelSize(width: 1, height: 1), pixels: [9])) == [])
    }

    @Test func `several codes of one picture are read`() throws {
        let pictures = try ["left", "right"].map { try QRCodeMaker().symbol(of: $0).picture(moduleSide: 5) }
        let side = pictures[0].size.width
        var pixels: [UInt8] = []
        for row in 0..<side {
            for picture in pictures { pixels += picture.pixels[row * side..<(row + 1) * side] }
        }
        let both = GrayPicture(size: PixelSize(width: 2 * side, height: side), pixels: pixels)
        #expect(Set(try reader.read(both).map(\.text)) == ["left", "right"])
        // Each call by itself: what was found before is not found again.
        #expect(try reader.read(pictures[0]).map(\.text) == ["left"])
    }

    // MARK: Bounds

    @Test func `a picture that is too large is refused by its size, before it is decoded`() throws {
        let wide = PixelSize(width: 4097, height: 1)
        #expect(throws: BarcodeError.pictureTooLarge(wide)) {
            try reader.read(GrayPicture(size: wide, pixels: Array(repeating: 0, count: 4097)))
        }
        #expect(throws: BarcodeError.pictureTooLarge(wide)) {
            try read(frame(.pixels(PixelBuffer(size: wide, layout: .rgb))))
        }
        var jpeg = try JPEGEncoder().encode(
            GrayPicture(size: PixelSize(width: 16, height: 16), pixels: Array(repeating: 9, count: 256))
                .pixelBuffer(),
            quality: 50
        )
        // The size stands behind the frame header's marker, its length and its precision.
        let header = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(header + 5..<header + 9, with: [0x2E, 0xE0, 0x2E, 0xE0])
        #expect(throws: BarcodeError.pictureTooLarge(PixelSize(width: 12_000, height: 12_000))) {
            try read(frame(.jpeg(jpeg)))
        }
    }

    @Test func `what is no picture is an error with its reason`() throws {
        for file in [[], [1, 2, 3], Array("GIF89a".utf8)] as [[UInt8]] {
            let error = #expect(throws: BarcodeError.self) { try read(frame(.jpeg(file))) }
            guard case .undecodable(let detail)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!detail.isEmpty)
        }
    }

    @Test(arguments: QRCodeMaker.Correction.allCases)
    func `the longest text fits, and a longer one is refused with the limit`(
        correction: QRCodeMaker.Correction
    ) throws {
        let maker = QRCodeMaker(correction: correction)
        let most = correction.mostBytes
        let symbol = try maker.symbol(of: String(repeating: "ü", count: most / 2))
        #expect(symbol.side == 177)
        #expect(throws: BarcodeError.textTooLong(bytes: most + 1, most: most)) {
            try maker.symbol(of: [UInt8](repeating: 0xC3, count: most + 1))
        }
        #expect(throws: BarcodeError.noText) { try maker.symbol(of: "") }
        let text = try reader.read(symbol.picture(moduleSide: 4)).map(\.text)
        #expect(text == [String(repeating: "ü", count: most / 2)])
    }

    @Test func `a picture full of corner marks is searched in bounded time`() throws {
        let symbol = try QRCodeMaker().symbol(of: "x")
        let size = PixelSize(width: 1600, height: 1200)
        // The upper left corner of a code, again and again.
        let pixels = (0..<size.area).map { place -> UInt8 in
            symbol.isDark(row: place / size.width % 9, column: place % size.width % 9) ? 0 : 255
        }
        let start = ContinuousClock.now
        #expect(try reader.read(GrayPicture(size: size, pixels: pixels)).count <= QRCodeReader.mostCodes)
        #expect(start.duration(to: .now) < .seconds(30))
    }

    @Test func `nothing that a code says is in a description`() throws {
        let secret = "the-password"
        let symbol = try QRCodeMaker().symbol(of: secret)
        let payload = BarcodePayload(Array(secret.utf8))
        for value in [payload, symbol] as [any CustomStringConvertible & Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("password"))
            #expect(!dumped.contains("true") && !dumped.contains("116"))
        }
        #expect("\(payload)" == "<12 bytes of a code>")
    }
}
