public import Foundation
public import Lens
public import ScreenKit

/// A photo or video as it is shown; its picture is asked for by its id.
public struct GalleryItem: Codable, Hashable, Sendable, Identifiable {
    /// Never changes.
    public var id: UUID
    /// What it is.
    public var kind: MediaItem.Kind
    /// When it was taken, or found.
    public var createdAt: Date
    /// What its badge shows.
    public var badge: UploadBadge
    /// Why its upload has failed.
    public var failure: ScreenAlert?
    /// Whether its upload can be asked for: it was not yet, or it has failed.
    public var offersUpload: Bool
    /// Whether anyone may see it at an address of the storage.
    public var isShared: Bool

    /// Shows an item of the gallery.
    public init(_ item: MediaItem) {
        id = item.id
        kind = item.kind
        createdAt = item.createdAt
        badge = item.uploadStatus.badge
        failure = item.uploadStatus.failure.map {
            ScreenAlert("The upload failed", $0, offersRetry: true)
        }
        offersUpload = item.uploadStatus == .none || item.uploadStatus.offersRetry
        isShared = item.remoteURL != nil
    }
}
