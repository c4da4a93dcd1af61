/// Reads two-dimensional codes out of pictures.
///
/// Safe to use from any task.
public protocol BarcodeReader: Sendable {
    /// Reads all codes of a frame of a camera; none is no error.
    ///
    /// It computes for some milliseconds, and waits for nothing.
    func read(_ frame: VideoFrame) throws(BarcodeError) -> [BarcodePayload]
}

/// Makes two-dimensional codes.
///
/// Safe to use from any task.
public protocol BarcodeMaker: Sendable {
    /// Makes the code that says a text, as UTF-8.
    func symbol(of text: String) throws(BarcodeError) -> BarcodeSymbol
}

/// Why a code could not be read or made.
public enum BarcodeError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The picture has more pixels than are searched for codes.
    case pictureTooLarge(PixelSize)
    /// The frame is no picture, for this reason.
    case undecodable(String)
    /// A code has no room for a text of so many bytes.
    case textTooLong(bytes: Int, most: Int)
    /// There is nothing to say.
    case noText
    /// There is no memory.
    case unavailable

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .pictureTooLarge(let size):
            "a picture of \(size) pixels is too large to look for codes in it. Choose a lower resolution"
        case .undecodable(let detail): "the picture cannot be searched for codes: \(detail)"
        case .textTooLong(let bytes, let most):
            "a text of \(bytes) bytes does not fit into a code, which takes \(most). Shorten it"
        case .noText: "a code needs a text"
        case .unavailable: "no code can be read or made: the memory is exhausted"
        }
    }
}
