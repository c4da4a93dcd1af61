/// A picture without colours: rows from above, without padding, one byte a pixel, from 0, black, to 255, white.
public struct GrayPicture: Sendable, Hashable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// As many as the size says.
    public let pixels: [UInt8]

    /// Makes a picture of its pixels.
    ///
    /// - Precondition: There are as many as the size says, and at least one.
    public init(size: PixelSize, pixels: [UInt8]) {
        precondition(size.width > 0 && size.height > 0, "a picture has at least one pixel")
        precondition(pixels.count == size.area, "a picture has a byte for each pixel")
        (self.size, self.pixels) = (size, pixels)
    }

    /// The same picture as cameras deliver it, which encoders of JPEG take.
    public func pixelBuffer() -> PixelBuffer {
        let buffer = PixelBuffer(size: size, layout: .i420)
        unsafe buffer.withMutableBytes { bytes in
            unsafe bytes.copyBytes(from: pixels)
            for place in pixels.count..<bytes.count { unsafe bytes[place] = 128 }
        }
        return buffer
    }
}
