public import AppKernel
public import Files

/// Why a picture has not become a photo, or what was not done with one that has.
public enum PhotoCaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The picture could not be turned into a JPEG file.
    case encoding(String)
    /// The file could not be written.
    case file(FileFailure)
    /// The file is there but could not be noted; it is found again at the next launch.
    case library(DatabaseFailure)
    /// The photo is in the gallery, but could not be queued for the upload that is wanted; the next launch does it.
    case notQueued(MediaItem, DatabaseFailure)

    /// What went wrong and what to do.
    public var description: String {
        switch self {
        case .encoding(let detail): "could not take a photo: the picture cannot be encoded: \(detail)"
        case .file(let failure): "could not take a photo: \(failure)"
        case .library(let failure), .notQueued(_, let failure): "the photo was taken, but \(failure)"
        }
    }
}
