/// One picture from a camera.
public struct VideoFrame: Sendable {
    /// What the camera delivered.
    public enum Content: Sendable {
        /// Uncompressed pixels.
        case pixels(PixelBuffer)
        /// A whole JPEG file (SOI … EOI), as Motion-JPEG cameras send; not yet checked.
        case jpeg([UInt8])
    }

    /// Counts up from 0 in the order of capture since the source connected; gaps are frames that were dropped.
    public var sequence: Int
    /// When the shutter opened, measured from the source's connecting.
    public var timestamp: Duration
    /// Width and height, when the source knows them without decoding.
    public var size: PixelSize?
    /// The picture itself.
    public var content: Content

    /// Creates a frame of its parts.
    public init(sequence: Int, timestamp: Duration, size: PixelSize?, content: Content) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.size = size
        self.content = content
    }
}
