import Services

/// Where the cells of a ``FrameCode`` lie in a picture of a given size.
struct FrameCodeGrid {
    static let columns = 24
    static let rows = 4

    let size: PixelSize

    /// The left edge of a column; column 0 and 25 hold the reference cells.
    func left(of column: Int) -> Int { column * size.width / (Self.columns + 2) }

    /// The upper edge of a row.
    func top(of row: Int) -> Int { min(row * size.width / (Self.columns + 2), row * size.height / 6) }

    /// The height of the whole code.
    var height: Int { top(of: Self.rows) }
}
