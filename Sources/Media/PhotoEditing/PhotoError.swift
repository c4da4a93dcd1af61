public import JPEG
public import PNG

/// Why a file cannot be published as a photo.
public enum PhotoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file has more bytes than ``Photo/mostBytes``; it was not looked at.
    case tooManyBytes(Int)
    /// It is neither a JPEG nor a PNG file, by its first bytes.
    case unknownFormat(firstBytes: [UInt8], byteCount: Int)
    /// It is a JPEG file that cannot be decoded, has too many pixels, or is cut off; or none could be made.
    case jpeg(JPEGError)
    /// It is a PNG file that cannot be decoded, or has too many pixels.
    case png(PNGError)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .tooManyBytes(let count):
            "The photo has \(count) bytes; at most \(Photo.mostBytes) are accepted: choose a smaller one"
        case .unknownFormat(let bytes, let count):
            "The \(count) bytes that begin with \(bytes.map(Self.hexadecimal).joined(separator: " ")) are neither a JPEG "
                + "nor a PNG file: save the photo in one of these formats"
        case .jpeg(let error): error.description
        case .png(let error): error.description
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 2 ? digits : "0\(digits)"
    }
}
