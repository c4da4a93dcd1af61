public import Services

/// Why a picture could not be turned into a JPEG file or back.
public enum JPEGError: Error, Sendable, Equatable, CustomStringConvertible {
    /// TurboJPEG gave no handle, which means that memory is exhausted.
    case handleUnavailable(message: String)
    /// The bytes are no JPEG file that TurboJPEG reads; `message` is TurboJPEG's.
    case undecodable(message: String, byteCount: Int)
    /// The header is sound but the picture data are truncated or corrupt; `message` is TurboJPEG's warning.
    case damaged(message: String, byteCount: Int)
    /// The file does not end with an end-of-image marker.
    case truncated(byteCount: Int)
    /// CMYK and YCCK pictures are for print; no camera makes them.
    case unsupportedColorspace(JPEGHeader.Colorspace)
    /// The header announces more pixels than the limits allow; nothing was allocated.
    case tooLarge(PixelSize, limits: JPEGLimits)
    /// TurboJPEG refused to encode; `message` is TurboJPEG's.
    case encodingFailed(message: String, size: PixelSize, quality: Int)
    /// Even the smallest rung of the ladder, at `size`, is not below `limit` bytes.
    case doesNotFit(limit: Int, size: PixelSize)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .handleUnavailable(let message):
            "TurboJPEG could not start: \(message); free memory and try again"
        case .undecodable(let message, let count):
            "\(count) bytes are not a readable JPEG file: \(message)"
        case .damaged(let message, let count):
            "The JPEG file of \(count) bytes is damaged: \(message); decode it tolerantly to keep what is left"
        case .truncated(let count):
            "The JPEG file of \(count) bytes has no end-of-image marker: it was cut off"
        case .unsupportedColorspace(let colorspace):
            "The JPEG file is in \(colorspace.rawValue); convert it to RGB, YCbCr or grey"
        case .tooLarge(let size, let limits):
            "The JPEG file announces \(size) pixels; at most \(limits.maximumSide) on a side and "
                + "\(limits.maximumArea) in all are accepted"
        case .encodingFailed(let message, let size, let quality):
            "A \(size) picture could not be encoded at quality \(quality): \(message)"
        case .doesNotFit(let limit, let size):
            "The picture is not below \(limit) bytes even at \(size) and the lowest quality; raise the limit"
        }
    }
}
