public import AppKernel
public import Foundation
internal import JPEG

/// The small pictures of photos, `thumb_<id>.jpg` beside them: made when a photo is taken, or when one is first asked for.
///
/// One is made at a time, off the caller's actor.
public actor Thumbnails {
    /// The most pixels on a side of a small picture, where an eighth of the photo is not more.
    public static let side: Int = 480
    /// The largest file of a photo that a small picture is made of, in bytes.
    private static let photoLimit = 64 * 1024 * 1024

    private let documents: FileFolder
    private var shrinker: JPEGShrinker?

    /// Keeps small pictures in the folder of the photos.
    public init(documents: FileFolder) { self.documents = documents }

    /// The file of a photo's small picture, which is made if it is not there.
    ///
    /// - Returns: `nil` where there is no photo of that id, or none of which a small picture can be made.
    public func picture(of id: UUID) -> [UInt8]? {
        let kept = try? documents.read(MediaLibrary.thumbnailName(of: id), upTo: Self.photoLimit)
        // A recording has empty files in place of those that are not part of it.
        if let kept, !kept.isEmpty { return kept }
        guard
            let photo = try? documents.read(
                MediaLibrary.fileName(of: id, kind: .photo),
                upTo: Self.photoLimit
            )
        else { return nil }
        return make(of: id, from: photo)
    }

    /// Makes a photo's small picture of its file, and keeps it where that is possible.
    @discardableResult
    func make(of id: UUID, from photo: [UInt8]) -> [UInt8]? {
        guard let shrinker = try? shrinker ?? JPEGShrinker(side: Self.side) else { return nil }
        self.shrinker = shrinker
        guard let small = try? shrinker.shrink(photo) else { return nil }
        let name = MediaLibrary.thumbnailName(of: id)
        try? documents.create(name, bytes: small)
        // Who deletes a photo removes the photo first: its small picture must not come after that.
        if !documents.contains(MediaLibrary.fileName(of: id, kind: .photo)) { try? documents.remove(name) }
        return small
    }
}
