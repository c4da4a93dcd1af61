/// What a decoder found in a picture.
public struct FrameInspection: Sendable, Hashable {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int
    /// The number that the picture shows, when it was made to carry one.
    public var number: Int?
    /// What is in the picture, when it is of a scene that is known.
    public var scene: SeenScene?

    /// Makes an inspection.
    public init(width: Int, height: Int, number: Int? = nil, scene: SeenScene? = nil) {
        self.scene = scene
        self.width = width
        self.height = height
        self.number = number
    }
}
