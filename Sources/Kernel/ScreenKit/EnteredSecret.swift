/// A secret that the user has typed: it can be read from a page, and is a mask wherever it is written.
public struct EnteredSecret: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    /// What stands for it in recordings.
    public static let mask: String = "<secret>"

    private let text: String

    /// Creates it from what was typed.
    public init(_ text: String) { self.text = text }

    /// Reads what a page sent.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the mask.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.mask)
    }

    /// What was typed, for the one place that keeps or sends it.
    public func reveal() -> String { text }

    /// The mask.
    public var description: String { Self.mask }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
