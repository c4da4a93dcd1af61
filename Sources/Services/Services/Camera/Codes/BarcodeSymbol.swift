/// A two-dimensional code as a square of dark and light modules, without the light zone around it.
///
/// It may say a password: descriptions have its size alone.
public struct BarcodeSymbol: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// How many modules a side has: 21 to 177 for QR codes.
    public let side: Int
    /// Whether each module is dark; rows from above.
    public let modules: [Bool]

    /// The light modules that a QR code needs on each side (ISO/IEC 18004 section 6.3.8).
    public static let quietZone: Int = 4

    /// Makes a symbol of its modules.
    ///
    /// - Precondition: There are `side` times `side` of them, and at least one.
    public init(side: Int, modules: [Bool]) {
        precondition(side > 0 && modules.count == side * side, "a symbol is a square of modules")
        (self.side, self.modules) = (side, modules)
    }

    /// Whether a module is dark; those beyond the symbol are not.
    public func isDark(row: Int, column: Int) -> Bool {
        guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
        return modules[row * side + column]
    }

    /// Draws it black on white, with the quiet zone around it.
    ///
    /// - Parameter moduleSide: Pixels along a side of a module, 1 to 32.
    public func picture(moduleSide: Int = 8) -> GrayPicture {
        precondition((1...32).contains(moduleSide), "a module has 1 to 32 pixels along a side")
        let width = (side + 2 * Self.quietZone) * moduleSide
        var pixels = [UInt8](repeating: 255, count: width * width)
        for row in 0..<side {
            let top = (row + Self.quietZone) * moduleSide
            for column in 0..<side where modules[row * side + column] {
                let left = (column + Self.quietZone) * moduleSide
                for line in top..<top + moduleSide {
                    for pixel in left..<left + moduleSide { pixels[line * width + pixel] = 0 }
                }
            }
        }
        return GrayPicture(size: PixelSize(width: width, height: width), pixels: pixels)
    }

    /// How large it is.
    public var description: String { "<code of \(side) × \(side) modules>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
