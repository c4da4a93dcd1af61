public import AppKernel
public import Foundation
public import Services

/// An item that is to be stored in the object store, or to be removed from it, as the queue keeps it.
public struct Upload: Hashable, OutboxWork {
    /// The public address; empty for a removal.
    public typealias Receipt = String
    /// Why an upload or a removal has failed.
    public typealias Failure = UploadError

    /// How an item that was deleted is removed from the store.
    public enum Removal: String, Sendable, Hashable, Codable {
        /// Its object is there.
        case stored
        /// An upload of it was begun, and may take effect after its end.
        case inDoubt
    }

    /// The item.
    public var mediaID: UUID
    /// Its file in the documents folder.
    public var fileName: String
    /// `image/jpeg` or `video/quicktime`.
    public var contentType: String
    /// Where it goes: the same for every attempt, and for no other item.
    public var key: ObjectKey
    /// When the item was taken; `nil` where an earlier version of the app has added the upload.
    public var createdAt: Date?
    /// Set where the item was deleted, and the object is to be removed; `nil` for an upload.
    public var removal: Removal?
    /// How far an upload in parts had come when its item was deleted, for the store to forget it; `nil` where none is known, and for an
    /// upload.
    public var open: UploadCheckpoint?

    /// Plans the upload of an item.
    public init(_ item: MediaItem) {
        self.init(item.id, item.kind)
        createdAt = item.createdAt
    }

    /// Plans the upload of an item, or the removal of what was uploaded of it.
    init(_ id: UUID, _ kind: MediaItem.Kind, removal: Removal? = nil) {
        self.removal = removal
        let name = id.uuidString.lowercased()
        mediaID = id
        fileName = MediaLibrary.fileName(of: id, kind: kind)
        switch kind {
        case .photo:
            contentType = "image/jpeg"
            key = ObjectKey("photos/\(name).jpg")
        case .video:
            contentType = "video/quicktime"
            key = ObjectKey("videos/\(name).mov")
        }
    }
}
