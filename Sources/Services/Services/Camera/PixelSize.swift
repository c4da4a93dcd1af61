/// Width and height in pixels.
public struct PixelSize: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// Creates a size in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Width times height.
    public var area: Int { width * height }

    /// Width and height, as in 640×480.
    public var description: String { "\(width)×\(height)" }
}
