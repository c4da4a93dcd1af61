public import AppKernel
public import Files

/// Why the gallery did not do all that was asked.
public enum GalleryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database could not be read or written; nothing was deleted.
    case library(DatabaseFailure)
    /// The items are gone from the gallery, but a file could not be removed; the next launch tries again.
    case file(FileFailure)

    /// What went wrong and what to do.
    public var description: String {
        switch self {
        case .library(let failure): failure.description
        case .file(let failure): "a deleted file is still on the disk: \(failure)"
        }
    }
}
