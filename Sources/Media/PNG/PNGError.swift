public import Services

/// Why a PNG file could not be turned into a picture, or a picture into one.
public enum PNGError: Error, Sendable, Equatable, CustomStringConvertible {
    /// libpng cannot read it, for this reason of its own.
    case undecodable(message: String, byteCount: Int)
    /// The header announces more pixels than are accepted; nothing was allocated.
    case tooLarge(width: Int, height: Int)
    /// libpng made no file, for this reason of its own.
    case encodingFailed(message: String, size: PixelSize)

    /// What was tried, and what came back.
    public var description: String {
        switch self {
        case .undecodable(let message, let count): "\(count) bytes are not a readable PNG file: \(message)"
        case .tooLarge(let width, let height):
            "The PNG file announces \(width) × \(height) pixels; at most \(PNGDecoder.maximumSide) on a side and "
                + "\(PNGDecoder.maximumArea) in all are accepted"
        case .encodingFailed(let message, let size):
            "A picture of \(size) could not be made a PNG file: \(message)"
        }
    }
}
