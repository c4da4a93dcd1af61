/// What a person does to a photo before it is published.
public struct PhotoEdit: Sendable, Hashable, Codable {
    /// What is kept of it, as it is seen: upright.
    public var crop: PhotoCrop
    /// What becomes of its colours.
    public var filter: PhotoFilter

    /// Makes an edit; by default it changes nothing.
    public init(crop: PhotoCrop = .whole, filter: PhotoFilter = .original) {
        self.crop = crop
        self.filter = filter
    }
}
