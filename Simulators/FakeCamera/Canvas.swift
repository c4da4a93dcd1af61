import Glibc
import Services

/// A colour in full-range BT.601.
struct YCbCr {
    var y: UInt8
    var cb: UInt8
    var cr: UInt8
}

/// Draws into I420 pictures of one size.
struct Canvas {
    let size: PixelSize
    let chroma: PixelSize

    init(size: PixelSize) {
        self.size = size
        chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    }

    /// Fills a rectangle, cut to the picture.
    func fill(
        x: Int,
        y: Int,
        width: Int,
        height: Int,
        _ color: YCbCr,
        _ bytes: UnsafeMutableRawBufferPointer
    ) {
        let columns = max(0, x)..<max(0, x, min(size.width, x + width))
        let rows = max(0, y)..<max(0, y, min(size.height, y + height))
        guard !columns.isEmpty, !rows.isEmpty, let base = bytes.baseAddress else { return }
        for row in rows {
            unsafe memset(base + row * size.width + columns.lowerBound, Int32(color.y), columns.count)
        }
        let halfColumns = (columns.lowerBound / 2)..<((columns.upperBound + 1) / 2)
        for row in (rows.lowerBound / 2)..<((rows.upperBound + 1) / 2) {
            let cb = unsafe base + size.area + row * chroma.width + halfColumns.lowerBound
            unsafe memset(cb, Int32(color.cb), halfColumns.count)
            unsafe memset(cb + chroma.area, Int32(color.cr), halfColumns.count)
        }
    }

    /// Fills a picture with the middle of another one, of which each pixel is repeated.
    func enlarge(
        _ source: UnsafeMutableRawBufferPointer,
        by zoom: Double,
        into target: UnsafeMutableRawBufferPointer
    ) {
        var start = 0
        for plane in [size, chroma, chroma] {
            let columns = Self.sources(plane.width, zoom)
            let rows = Self.sources(plane.height, zoom)
            for (row, from) in rows.enumerated() {
                let line = start + row * plane.width
                if row > 0, rows[row - 1] == from, let base = target.baseAddress {
                    unsafe memcpy(base + line, base + line - plane.width, plane.width)
                    continue
                }
                var column = 0
                while column < plane.width {
                    unsafe target[line + column] = source[start + from * plane.width + columns[column]]
                    column += 1
                }
            }
            start += plane.area
        }
    }

    /// Which of `count` pixels in a row stands where, when the middle is enlarged.
    private static func sources(_ count: Int, _ zoom: Double) -> [Int] {
        let first = Double(count) * (1 - 1 / zoom) / 2
        return (0..<count).map { min(count - 1, Int(first + (Double($0) + 0.5) / zoom)) }
    }

    /// Draws the cells of `code` over the top of the picture.
    func burn(_ code: FrameCode, into bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let layout = code.layout
        let grid = FrameCodeGrid(size: size, layout: layout)
        let bits = code.bits
        let (light, dark) = (layout.light, layout.dark)
        for row in 0..<layout.rows {
            let top = grid.top(of: row)
            let first = unsafe base + top * size.width
            // A row of colours belongs to the cells that reach into its upper half, and the last one to the code's end.
            let colors = (top + 1) / 2..<(grid.top(of: row + 1) + 1) / 2
            let cb = unsafe base + size.area + colors.lowerBound * chroma.width
            for column in 0...(layout.columns + 1) {
                let isReference = column == 0 || column == layout.columns + 1
                let isLight =
                    isReference ? row.isMultiple(of: 2) : bits[row * layout.columns + column - 1]
                let color = isLight ? light : dark
                let (left, right) = (grid.left(of: column), grid.left(of: column + 1))
                unsafe memset(first + left, Int32(color.y), right - left)
                let half = left / 2
                let count = (right + 1) / 2 - half
                unsafe memset(cb + half, Int32(color.cb), count)
                unsafe memset(cb + chroma.area + half, Int32(color.cr), count)
            }
            for line in (top + 1)..<grid.top(of: row + 1) {
                unsafe memcpy(base + line * size.width, first, size.width)
            }
            for line in 1..<max(1, colors.count) {
                unsafe memcpy(cb + line * chroma.width, cb, chroma.width)
                unsafe memcpy(cb + chroma.area + line * chroma.width, cb + chroma.area, chroma.width)
            }
        }
    }

    /// Converts by the formulas of JFIF 1.02, page 3, in 16-bit fixed point.
    func convertToRGB(_ source: UnsafeMutableRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        func clamped(_ value: Int) -> UInt8 { UInt8(min(255, max(0, value))) }
        for row in 0..<size.height {
            for column in 0..<size.width {
                let index = row * size.width + column
                let colour = size.area + row / 2 * chroma.width + column / 2
                let y = unsafe Int(source[index]) << 16 + 32_768
                let cb = unsafe Int(source[colour]) - 128
                let cr = unsafe Int(source[colour + chroma.area]) - 128
                unsafe target[3 * index] = clamped((y + 91_881 * cr) >> 16)
                unsafe target[3 * index + 1] = clamped((y - 22_554 * cb - 46_802 * cr) >> 16)
                unsafe target[3 * index + 2] = clamped((y + 116_130 * cb) >> 16)
            }
        }
    }
}
