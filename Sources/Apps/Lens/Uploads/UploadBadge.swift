/// What the badge of an item shows.
public enum UploadBadge: String, Sendable, Hashable, CaseIterable {
    case none, pending, uploading, greenCheck, redCross
}
