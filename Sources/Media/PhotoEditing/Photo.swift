import JPEG
import PNG
public import Services

/// A decoded photo, upright, from the file that a person picked to the file that is published.
///
/// Nothing but its pixels is kept of a file: neither the place and time in its Exif data, nor a preview, nor a colour profile;
/// colours are taken for sRGB. The functions take as long as the photo is large: call them from ``published(_:edit:)``, or from
/// another function that leaves the caller's actor.
public struct Photo: Sendable {
    /// The bytes of the largest file that is accepted, 64 MiB; of pixels as many as `JPEGLimits.standard` and `PNGDecoder` take.
    public static let mostBytes = 64 << 20
    /// The side of the square into which a published photo fits, in pixels.
    public static let publishedSide = 2_048
    /// The quality of a published photo on libjpeg's scale.
    public static let publishedQuality = 85

    /// RGB.
    let pixels: PixelBuffer

    init(pixels: PixelBuffer) { self.pixels = pixels }

    /// Its width and height in pixels, upright.
    public var size: PixelSize { pixels.size }

    /// Decodes a JPEG or PNG file, and turns it upright as its Exif data say.
    ///
    /// A JPEG file with damage within is taken as far as it could be decoded, as viewers do: the person sees it before it is
    /// published. One that is cut off is refused.
    ///
    /// - Throws: ``PhotoError``.
    public init(decoding file: [UInt8]) throws(PhotoError) {
        guard file.count <= Self.mostBytes else { throw .tooManyBytes(file.count) }
        let stored: PixelBuffer
        if PNGDecoder.begins(file) {
            do { stored = try PNGDecoder.decode(file) } catch { throw .png(error) }
        } else if file.starts(with: [0xFF, 0xD8]) {
            do { stored = try Self.decodeJPEG(file) } catch { throw .jpeg(error) }
        } else {
            throw .unknownFormat(firstBytes: Array(file.prefix(8)), byteCount: file.count)
        }
        pixels = stored.upright(PhotoOrientation(of: file))
    }

    private static func decodeJPEG(_ file: [UInt8]) throws(JPEGError) -> PixelBuffer {
        let picture = try JPEGDecoder().decode(file, layout: .rgb, tolerant: true)
        do { _ = try JPEGMarkers(in: file) } catch { throw .truncated(byteCount: file.count) }
        return picture
    }

    /// The photo as an edit makes it: cropped, then filtered.
    public func edited(_ edit: PhotoEdit) -> Photo {
        let (columns, rows) = edit.crop.pixels(in: size)
        let isWhole = columns.count == size.width && rows.count == size.height
        return Photo(pixels: (isWhole ? pixels : pixels.cropped(columns, rows)).filtered(edit.filter))
    }

    /// The photo with its longer side of at most so many pixels, its aspect kept to the nearest pixel; never larger than it is.
    ///
    /// - Precondition: A side has at least one pixel.
    public func fitted(within side: Int) -> Photo {
        precondition(side >= 1, "a photo has at least one pixel")
        let longest = max(size.width, size.height)
        guard longest > side else { return self }
        func length(_ original: Int) -> Int { max(1, (2 * original * side + longest) / (2 * longest)) }
        return Photo(
            pixels: pixels.averaged(to: PixelSize(width: length(size.width), height: length(size.height)))
        )
    }

    /// A JPEG file of the photo without metadata: baseline, 4:2:0.
    ///
    /// - Parameter quality: 1 (smallest) to 100 (best), libjpeg's scale.
    /// - Throws: ``PhotoError/jpeg(_:)``.
    public func jpeg(quality: Int = publishedQuality) throws(PhotoError) -> [UInt8] {
        do { return try JPEGEncoder().encode(pixels, quality: quality) } catch { throw .jpeg(error) }
    }

    /// Makes of a picked file the file that is published, outside of the caller's actor.
    ///
    /// The same file and edit always give the same bytes.
    ///
    /// - Throws: ``PhotoError``.
    @concurrent
    public static func published(_ file: [UInt8], edit: PhotoEdit) async throws(PhotoError) -> [UInt8] {
        // Colours are changed last, where there are the fewest pixels.
        try Photo(decoding: file).edited(PhotoEdit(crop: edit.crop))
            .fitted(within: publishedSide).edited(PhotoEdit(filter: edit.filter)).jpeg()
    }
}
