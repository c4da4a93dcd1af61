public import Services

/// A JPEG file below the ladder's limit.
public struct CompressedFrame: Sendable, Hashable {
    /// The file from SOI to EOI.
    ///
    /// Release it before the next frame, and its memory is used again.
    public var jpeg: [UInt8]
    /// Width and height in pixels of the file.
    public var size: PixelSize
    /// TurboJPEG's quality, 80 … 10; `nil` when the camera's own file was passed through.
    public var quality: Int?
    /// How many times the frame was scaled by ×0.75.
    public var downscales: Int
}
