/// What the badge of an item shows.
public enum UploadBadge: String, Sendable, Hashable, Codable, CaseIterable {
    case none, pending, uploading, greenCheck, redCross
}
