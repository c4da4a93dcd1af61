public import Services

/// What is kept of a photo: a rectangle in fractions of its width and height, from its upper left corner.
public struct PhotoCrop: Sendable, Hashable, Codable {
    /// Where the rectangle begins, from the left side: 0 to 1.
    public var left: Double
    /// Where it begins, from the top: 0 to 1.
    public var top: Double
    /// Its width: 0 to 1.
    public var width: Double
    /// Its height: 0 to 1.
    public var height: Double

    /// Makes a rectangle.
    ///
    /// What lies beyond the photo is left out when it is applied; a number that is none stands for the whole side.
    public init(left: Double, top: Double, width: Double, height: Double) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    /// All of a photo.
    public static let whole = PhotoCrop(left: 0, top: 0, width: 1, height: 1)

    /// The columns and rows of a photo of `size` that are kept: to the nearest pixel, at least one of each.
    public func pixels(in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>) {
        (Self.range(left, width, of: size.width), Self.range(top, height, of: size.height))
    }

    private static func range(_ start: Double, _ length: Double, of count: Int) -> Range<Int> {
        let end = start + length
        guard !start.isNaN, !end.isNaN else { return 0..<count }
        func pixel(_ fraction: Double) -> Int { Int((min(max(fraction, 0), 1) * Double(count)).rounded()) }
        let first = min(pixel(start), count - 1)
        return first..<max(first + 1, pixel(end))
    }
}
