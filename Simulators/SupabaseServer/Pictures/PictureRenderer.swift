import JPEG
import PNG
import PeerKit
import Services

/// Scales pictures, one at a time, so that no more than one lies in memory.
actor PictureRenderer {
    /// A picture that was made.
    struct Rendered: Sendable {
        let file: [UInt8]
        let contentType: String
    }

    /// Bytes of the largest file that is decoded.
    ///
    /// Source: supabase/supabase `apps/docs/content/guides/storage/serving/image-transformations.mdx`.
    static let fileLimit = 25_000_000
    /// Pixels of the largest picture.
    private static let limits = JPEGLimits(maximumSide: 65_500, maximumArea: 50_000_000)
    /// The quality of JPEG where none is asked for; imgproxy's.
    private static let usualQuality = 80

    /// Decodes, scales and encodes a picture in its own format.
    func render(_ file: [UInt8], _ change: PictureChange) throws(StorageFailure) -> Rendered {
        if let format = change.format, format != "origin" {
            throw .picture("the simulated service does not encode \(format)")
        }
        if PNGDecoder.begins(file) {
            do throws(PNGError) {
                let picture = Self.scaled(try PNGDecoder.decode(file), change)
                return Rendered(file: try PNGEncoder.encode(picture), contentType: "image/png")
            } catch {
                if case .tooLarge = error { throw .picture(Self.tooLarge) }
                throw .picture(Self.unreadable)
            }
        }
        guard file.starts(with: [0xFF, 0xD8]) else { throw .picture(Self.unreadable) }
        do throws(JPEGError) {
            let decoder = try JPEGDecoder(limits: Self.limits)
            let picture = Self.scaled(try decoder.decode(file, layout: .rgb, tolerant: true), change)
            let quality = change.quality ?? Self.usualQuality
            return Rendered(
                file: try JPEGEncoder().encode(picture, quality: quality),
                contentType: "image/jpeg"
            )
        } catch {
            if case .tooLarge = error { throw .picture(Self.tooLarge) }
            throw .picture(Self.unreadable)
        }
    }

    private static let unreadable = "Invalid source image"
    private static let tooLarge = "Source image resolution is too big"

    private static func scaled(_ picture: PixelBuffer, _ change: PictureChange) -> PixelBuffer {
        let fit = PictureFit(picture.size, change)
        let scaled = fit.scaled == picture.size ? picture : picture.averaged(to: fit.scaled)
        return fit.kept == scaled.size ? scaled : scaled.middle(fit.kept)
    }
}

extension PixelBuffer {
    /// The middle of an RGB picture.
    ///
    /// - Precondition: The picture is RGB, and `size` is not larger in any direction.
    fileprivate func middle(_ size: PixelSize) -> PixelBuffer {
        precondition(layout == .rgb, "planes have another order of bytes")
        precondition(size.width <= self.size.width && size.height <= self.size.height, "a part is no larger")
        let (left, top) = ((self.size.width - size.width) / 2, (self.size.height - size.height) / 2)
        let part = PixelBuffer(size: size, layout: .rgb)
        unsafe withBytes { source in
            unsafe part.withMutableBytes { target in
                for row in 0..<size.height {
                    let start = 3 * ((top + row) * self.size.width + left)
                    let line = unsafe UnsafeRawBufferPointer(rebasing: source[start..<start + 3 * size.width])
                    unsafe UnsafeMutableRawBufferPointer(
                        rebasing: target[3 * row * size.width..<3 * (row + 1) * size.width]
                    ).copyMemory(from: line)
                }
            }
        }
        return part
    }
}
