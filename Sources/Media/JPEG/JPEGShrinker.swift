import CTurboJPEG
import Services

/// Makes small JPEG files of large ones, in a fraction of the time that decoding takes.
///
/// TurboJPEG decodes at 1/8, 2/8, … of the size; the smallest of them that is not too small is averaged down to the exact
/// size, and encoded again. Not `Sendable`: one per worker.
public final class JPEGShrinker {
    /// The pixels on the longer side of the result, of which a smaller original has fewer.
    public let side: Int
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder

    /// Creates a shrinker.
    ///
    /// - Parameters:
    ///   - side: The pixels on the longer side of its results; at least 1.
    ///   - limits: How large an original may be.
    public init(side: Int, limits: JPEGLimits = .standard) throws(JPEGError) {
        precondition(side >= 1, "a picture has at least one pixel")
        self.side = side
        decoder = try JPEGDecoder(limits: limits)
        encoder = try JPEGEncoder()
    }

    /// Returns a small file of the same picture, which is turned as the original is and has its aspect, to the nearest pixel.
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
    package static func exif(of file: [UInt8]) -> ArraySlice<UInt8> {
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
    /// Decodes a file to RGB, so that it fits into a square: a larger picture has the square's side then, and its own aspect.
    ///
    /// - Parameters:
    ///   - file: The bytes from SOI to EOI; a damaged picture is returned as far as it could be decoded.
    ///   - side: The square's, in pixels.
    /// - Throws: What ``acceptableHeader(of:)`` throws.
    func decode(_ file: [UInt8], within side: Int) throws(JPEGError) -> PixelBuffer {
        let full = try acceptableHeader(of: file).size
        let longest = max(full.width, full.height)
        // More is decoded than is wanted, never less: what is missing would have to be made up.
        let eighths = longest <= side ? 8 : (1...8).first { Self.scaled(longest, $0) >= side } ?? 8
        let size = PixelSize(
            width: Self.scaled(full.width, eighths),
            height: Self.scaled(full.height, eighths)
        )
        let picture = try unsafe PixelBufferPool(size: size, layout: .rgb).makeBuffer {
            (bytes) throws(JPEGError) in
            try unsafe decodeRGB(file, size, into: bytes, true)
        }
        guard longest > side else { return picture }
        func fitted(_ length: Int, _ decoded: Int) -> Int {
            // TurboJPEG rounds up, so that the nearest may be one more than there is.
            min(max(1, (2 * length * side + longest) / (2 * longest)), decoded)
        }
        let wanted = PixelSize(
            width: fitted(full.width, size.width),
            height: fitted(full.height, size.height)
        )
        return wanted == size ? picture : picture.averaged(to: wanted)
    }

    /// As TurboJPEG rounds (`TJSCALED` in turbojpeg.h).
    private static func scaled(_ length: Int, _ eighths: Int) -> Int { (length * eighths + 7) / 8 }
}
