public import AppKernel

/// Why no photo was taken, or what was not done with one that was.
public enum PhotoCaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The camera has no picture: it is not connected, or has only just been.
    case noFrame
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
        case .noFrame: "could not take a photo: the camera has no picture. Connect it, then try again."
        case .encoding(let detail): "could not take a photo: the picture cannot be encoded: \(detail)"
        case .file(let failure): "could not take a photo: \(failure)"
        case .library(let failure), .notQueued(_, let failure): "the photo was taken, but \(failure)"
        }
    }
}
