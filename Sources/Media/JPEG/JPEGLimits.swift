public import Services

/// How large a picture a decoder agrees to hold in memory.
public struct JPEGLimits: Sendable, Hashable {
    /// The greatest width or height in pixels that is accepted.
    public var maximumSide: Int
    /// The greatest number of pixels that is accepted; RGB takes three bytes for each.
    public var maximumArea: Int

    /// Creates limits in pixels.
    public init(maximumSide: Int, maximumArea: Int) {
        self.maximumSide = maximumSide
        self.maximumArea = maximumArea
    }

    /// Up to 12,000 pixels on a side and 64 million in all, more than any phone's or consumer camera's default.
    public static var standard: JPEGLimits { JPEGLimits(maximumSide: 12_000, maximumArea: 64_000_000) }

    /// Whether a picture of `size` may be decoded.
    public func allow(_ size: PixelSize) -> Bool {
        size.width > 0 && size.height > 0
            && size.width <= maximumSide && size.height <= maximumSide && size.area <= maximumArea
    }
}
