public import Foundation

/// A photo or video in the documents folder.
public struct MediaItem: Sendable, Hashable, Identifiable, Codable {
    /// What it is.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case photo, video
    }

    /// Never changes; also part of the file's name.
    public var id: UUID
    /// What it is.
    public var kind: Kind
    /// The file.
    public var url: URL
    /// A small JPEG picture of it, or `nil` while there is none; not encoded, for a file holds it.
    public var thumbnail: Data?
    /// When it was taken, or found.
    public var createdAt: Date
    /// Where its upload stands.
    public var uploadStatus: UploadStatus
    /// Where anyone may see it, once it is uploaded.
    public var remoteURL: URL?

    private enum CodingKeys: String, CodingKey {
        case id, kind, url, createdAt, uploadStatus, remoteURL
    }

    /// Creates an item.
    public init(
        id: UUID,
        kind: Kind,
        url: URL,
        thumbnail: Data? = nil,
        createdAt: Date,
        uploadStatus: UploadStatus = .none,
        remoteURL: URL? = nil
    ) {
        self.id = id
        self.kind = kind
        self.url = url
        self.thumbnail = thumbnail
        self.createdAt = createdAt
        self.uploadStatus = uploadStatus
        self.remoteURL = remoteURL
    }
}
