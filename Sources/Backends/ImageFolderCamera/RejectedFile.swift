public import JPEG

/// A file, or a picture within one, that was left out, and why.
public struct RejectedFile: Sendable, Equatable, CustomStringConvertible {
    /// Why a picture was left out.
    public enum Reason: Sendable, Equatable {
        /// Its name does not end in .jpg or .jpeg.
        case notAPicture
        /// It has no bytes.
        case empty
        /// It has more bytes than a picture may have.
        case tooManyBytes(Int, limit: Int)
        /// It could not be read from the disk.
        case unreadable(String)
        /// It is no JPEG file that can be used.
        case jpeg(JPEGError)
    }

    /// The file's name, with `#` and the picture's number from 0 for a picture in a movie.
    public var name: String
    /// Why it was left out.
    public var reason: Reason

    /// Creates a report of one rejected picture.
    public init(name: String, reason: Reason) {
        self.name = name
        self.reason = reason
    }

    /// The name and the reason in words.
    public var description: String {
        switch reason {
        case .notAPicture: "\(name): not a .jpg or .jpeg file"
        case .empty: "\(name): the file is empty"
        case .tooManyBytes(let count, let limit): "\(name): \(count) bytes, more than \(limit)"
        case .unreadable(let message): "\(name): could not be read: \(message)"
        case .jpeg(let error): "\(name): \(error)"
        }
    }
}
