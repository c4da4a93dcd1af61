/// A format of pictures, by its four characters as `linux/videodev2.h` has them.
public struct VideoFormat: Sendable, Hashable, CustomStringConvertible {
    /// The characters, the first one in the lowest byte.
    public let code: UInt32

    /// Takes the number that a driver names.
    public init(code: UInt32) { self.code = code }

    private init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) {
        code = a.value | b.value << 8 | c.value << 16 | d.value << 24
    }

    /// Reads what ``description`` writes: four characters of ASCII.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        code = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Motion-JPEG, as USB cameras name it.
    public static let motionJPEG = VideoFormat("M", "J", "P", "G")
    /// Whole JPEG files, as other drivers name the same.
    public static let jpeg = VideoFormat("J", "P", "E", "G")
    /// Packed 4:2:2: Y0 U Y1 V.
    public static let yuyv = VideoFormat("Y", "U", "Y", "V")
    /// Planar 4:2:0 with interleaved chroma.
    public static let nv12 = VideoFormat("N", "V", "1", "2")

    /// Those that ``V4L2Camera`` captures, in the order in which it prefers them: a camera's own JPEG needs no work.
    public static let captured: [VideoFormat] = [.motionJPEG, .jpeg, .yuyv, .nv12]

    /// Whether a picture is a JPEG file.
    public var isCompressed: Bool { self == .motionJPEG || self == .jpeg }

    /// The four characters; others than visible ones as dots.
    public var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0)) }
        return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}
