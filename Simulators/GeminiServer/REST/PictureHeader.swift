/// Reads the size of pictures in PNG and WebP from their headers; the pixels are not decoded.
///
/// Sources: PNG, W3C Recommendation of 2003, sections 5.2 and 11.2; RFC 9649 for WebP, and RFC 6386 section 9.1 for its frames.
enum PictureHeader {
    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let pngEnd: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    /// The longest side that is taken, which is JPEG's own limit: what is computed from sides cannot overflow.
    private static let longestSide = 65_535

    /// What a whole picture of these formats shows; `nil` for all others.
    static func inspection(of bytes: [UInt8]) -> FrameInspection? {
        guard let (width, height) = size(png: bytes) ?? size(webP: bytes), width > 0, height > 0,
            max(width, height) <= longestSide
        else { return nil }
        return FrameInspection(width: width, height: height)
    }

    private static func size(png bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count >= 45, bytes.starts(with: pngSignature), bytes.suffix(12).elementsEqual(pngEnd),
            bytes[12..<16].elementsEqual("IHDR".utf8)
        else { return nil }
        func number(at place: Int) -> Int { bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return (number(at: 16), number(at: 20))
    }

    private static func size(webP bytes: [UInt8]) -> (Int, Int)? {
        /// The lowest byte comes first.
        func number(at place: Int, bytes count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        guard bytes.count >= 30, bytes[0..<4].elementsEqual("RIFF".utf8),
            bytes[8..<12].elementsEqual("WEBP".utf8), number(at: 4, bytes: 4) + 8 == bytes.count
        else { return nil }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ":
            guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            return (number(at: 26, bytes: 2) & 0x3FFF, number(at: 28, bytes: 2) & 0x3FFF)
        case "VP8L":
            guard bytes[20] == 0x2F else { return nil }
            let bits = number(at: 21, bytes: 4)
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case "VP8X": return (number(at: 24, bytes: 3) + 1, number(at: 27, bytes: 3) + 1)
        default: return nil
        }
    }
}
