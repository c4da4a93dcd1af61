/// A camera of the hub.
public struct Camera: Codable, Hashable, Sendable, Identifiable {
    /// What the hub calls it: any text, compared as it is.
    public var id: String
    /// What people call it.
    public var name: String

    /// Makes a value of its parts.
    public init(id: String, name: String) { (self.id, self.name) = (id, name) }

    /// The name of a camera that the hub does not list.
    public static let unknownName: String = "Unknown camera"
}
