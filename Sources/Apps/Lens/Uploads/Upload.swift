public import Foundation
public import Services

/// An item on its way to the object store, as the queue keeps it.
public struct Upload: Sendable, Hashable, Codable {
    /// The item.
    public var mediaID: UUID
    /// Its file in the documents folder.
    public var fileName: String
    /// `image/jpeg` or `video/quicktime`.
    public var contentType: String
    /// Where it goes: the same for every attempt, and for no other item.
    public var key: ObjectKey

    /// Plans the upload of an item.
    public init(_ item: MediaItem) {
        let name = item.id.uuidString.lowercased()
        mediaID = item.id
        fileName = MediaLibrary.fileName(of: item.id, kind: item.kind)
        switch item.kind {
        case .photo:
            contentType = "image/jpeg"
            key = ObjectKey("photos/\(name).jpg")
        case .video:
            contentType = "video/quicktime"
            key = ObjectKey("videos/\(name).mov")
        }
    }
}
