/// Why a path cannot serve as a camera.
public enum ImageInputError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is nothing at the path.
    case missing(path: String)
    /// The file system does not let this process read it.
    case permissionDenied(path: String)
    /// It can be read, but no picture in it can be used; `rejected` says why not.
    case noPictures(path: String, rejected: [RejectedFile])
    /// A single file that is neither Motion-JPEG, AVI nor QuickTime by its name.
    case unknownKind(path: String)
    /// An AVI or QuickTime file without a usable Motion-JPEG stream.
    case malformed(path: String, reason: String)
    /// The operating system failed in another way.
    case unreadable(path: String, reason: String)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .missing(let path):
            "There is no file or folder \(path); check the path"
        case .permissionDenied(let path):
            "\(path) may not be read by this user; change its permissions"
        case .noPictures(let path, let rejected):
            "\(path) holds no JPEG picture that can be used"
                + (rejected.first.map { "; \(rejected.count) rejected, first \($0)" } ?? "")
        case .unknownKind(let path):
            "\(path) is neither a folder nor a .mjpeg, .mjpg, .avi or .mov file"
        case .malformed(let path, let reason):
            "\(path) is no Motion-JPEG movie: \(reason)"
        case .unreadable(let path, let reason):
            "\(path) could not be read: \(reason)"
        }
    }
}
