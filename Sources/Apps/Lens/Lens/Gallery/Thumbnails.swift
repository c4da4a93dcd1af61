public import Files
public import Foundation
internal import JPEG

/// The small pictures of photos and videos, `thumb_<id>.jpg` beside them: made when one is taken, or when it is first asked for.
///
/// That of a video is made of its first picture.
///
/// One is made at a time, off the caller's actor.
public actor Thumbnails {
    /// The pixels on the longer side of a small picture, of which a smaller photo has fewer.
    public static let side: Int = 320
    /// The largest file of a photo that a small picture is made of, in bytes.
    private static let photoLimit = 64 * 1024 * 1024

    private let documents: FileFolder
    private let videos: Videos
    private var shrinker: JPEGShrinker?

    /// Keeps small pictures in the folder of the photos and videos.
    public init(documents: FileFolder) {
        self.documents = documents
        videos = Videos(documents: documents)
    }

    /// The file of an item's small picture, which is made if it is not there.
    ///
    /// - Returns: `nil` where there is no item of that id, or none of which a small picture can be made.
    public func picture(of id: UUID) async -> [UInt8]? {
        let kept = try? documents.read(MediaLibrary.thumbnailName(of: id), upTo: Self.photoLimit)
        // A recording has empty files in place of those that are not part of it.
        if let kept, !kept.isEmpty { return kept }
        let name = MediaLibrary.fileName(of: id, kind: .photo)
        if let photo = try? documents.read(name, upTo: Self.photoLimit) { return make(of: id, from: photo) }
        guard let first = await videos.picture(of: id, at: .zero) else { return nil }
        return make(of: id, from: first)
    }

    /// An item with its small picture, which is made if it is not there; without one where none can be made.
    public func illustrated(_ item: MediaItem) async -> MediaItem {
        var item = item
        item.thumbnail = await picture(of: item.id).map { Data($0) }
        return item
    }

    /// Makes the small picture of a photo, or of a video's first picture, and keeps it where that is possible.
    @discardableResult
    func make(of id: UUID, from photo: [UInt8]) -> [UInt8]? {
        guard let shrinker = try? shrinker ?? JPEGShrinker(side: Self.side) else { return nil }
        self.shrinker = shrinker
        guard let small = try? shrinker.shrink(photo) else { return nil }
        let name = MediaLibrary.thumbnailName(of: id)
        try? documents.create(name, bytes: small)
        // Who deletes an item removes its file first: its small picture must not come after that.
        let isThere = MediaItem.Kind.allCases.contains { kind in
            documents.contains(MediaLibrary.fileName(of: id, kind: kind))
        }
        if !isThere { try? documents.remove(name) }
        return small
    }
}
