import CTurboJPEG
public import Services

/// Makes small JPEG files of large ones, in a fraction of the time that decoding takes.
///
/// TurboJPEG decodes at 1/8, 2/8, … of the size; the largest of them that fits is encoded again. Not `Sendable`: one per
/// worker.
public final class JPEGShrinker {
    /// The most pixels on a side of the result, where an eighth of the original is not more.
    public let side: Int
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder

    /// Creates a shrinker.
    public init(side: Int, limits: JPEGLimits = .standard) throws(JPEGError) {
        self.side = side
        decoder = try JPEGDecoder(limits: limits)
        encoder = try JPEGEncoder()
    }

    /// Returns a small file of the same picture, which is turned as the original is.
    ///
    /// - Parameters:
    ///   - file: A JPEG file; a damaged one is used as far as it can be decoded.
    ///   - quality: 1 (smallest) to 100 (best), libjpeg's scale.
    /// - Throws: What `JPEGDecoder.acceptableHeader(of:)` and `JPEGEncoder.encode(_:quality:)` throw.
    public func shrink(_ file: [UInt8], quality: Int = 80) throws(JPEGError) -> [UInt8] {
        let small = try encoder.encode(decoder.decode(file, within: side), quality: quality)
        // Behind SOI. Cameras that are held upright say so there, and store the picture lying.
        return Array(small[..<2] + Self.exif(of: file) + small[2...])
    }

    /// The segment APP1 of a file that has Exif data (JEITA CP-3451, section 4.5.4), with its marker; empty without one.
    static func exif(of file: [UInt8]) -> ArraySlice<UInt8> {
        var index = 2
        while index + 10 <= file.count, file[index] == 0xFF, (0xE0...0xEF).contains(file[index + 1]) {
            let end = index + 2 + (Int(file[index + 2]) << 8 | Int(file[index + 3]))
            guard end <= file.count, end > index + 4 else { break }
            if file[index + 1] == 0xE1, file[(index + 4)...].starts(with: Array("Exif\0\0".utf8)) {
                return file[index..<end]
            }
            index = end
        }
        return []
    }
}

extension JPEGDecoder {
    /// Decodes a file to RGB at as many eighths of its size as fit into a square, at least one.
    ///
    /// - Parameters:
    ///   - file: The bytes from SOI to EOI; a damaged picture is returned as far as it could be decoded.
    ///   - side: The square's, in pixels.
    /// - Throws: What ``acceptableHeader(of:)`` throws.
    public func decode(_ file: [UInt8], within side: Int) throws(JPEGError) -> PixelBuffer {
        let full = try acceptableHeader(of: file).size
        let longest = max(full.width, full.height)
        let eighths = (2...8).last { Self.scaled(longest, $0) <= side } ?? 1
        let size = PixelSize(
            width: Self.scaled(full.width, eighths),
            height: Self.scaled(full.height, eighths)
        )
        return try unsafe PixelBufferPool(size: size, layout: .rgb).makeBuffer { (bytes) throws(JPEGError) in
            try unsafe decodeRGB(file, size, into: bytes, true)
        }
    }

    /// As TurboJPEG rounds (`TJSCALED` in turbojpeg.h).
    private static func scaled(_ length: Int, _ eighths: Int) -> Int { (length * eighths + 7) / 8 }
}
