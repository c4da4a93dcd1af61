import Services

/// Where the cells of a ``FrameCode`` lie in a picture of a given size.
struct FrameCodeGrid {
    /// How the cells are arranged.
    enum Layout: CaseIterable {
        case blocks
        case strip

        /// Without the reference cells.
        var columns: Int { self == .blocks ? 24 : 48 }
        var rows: Int { self == .blocks ? 4 : 2 }
        /// A row has no more than this part of the picture's height.
        var heightShare: Int { self == .blocks ? 6 : 12 }
        var light: YCbCr { self == .blocks ? YCbCr(y: 235, cb: 128, cr: 128) : Paint(0xEFE0BF).color }
        var dark: YCbCr { self == .blocks ? YCbCr(y: 16, cb: 128, cr: 128) : Paint(0x3F2A22).color }
    }

    let size: PixelSize
    let layout: Layout

    /// The left edge of a column; the first and the last hold the reference cells.
    func left(of column: Int) -> Int { column * size.width / (layout.columns + 2) }

    /// The upper edge of a row.
    func top(of row: Int) -> Int {
        min(row * size.width / (layout.columns + 2), row * size.height / layout.heightShare)
    }

    /// The height of the whole code.
    var height: Int { top(of: layout.rows) }
}
