public import Services

extension FrameCode {
    /// Reads the code in `picture`, which may be recompressed or scaled; `nil` when there is none with a valid checksum.
    ///
    /// - Parameter picture: The whole picture in any layout, not cropped.
    /// - Returns: The code whose checksum is right.
    public static func read(from picture: PixelBuffer) -> FrameCode? {
        for layout in FrameCodeGrid.Layout.allCases {
            let grid = FrameCodeGrid(size: picture.size, layout: layout)
            // Below two pixels a cell has no inside.
            guard grid.left(of: 1) >= 2, grid.top(of: 1) >= 2 else { continue }
            if let code = unsafe picture.withBytes({ unsafe read(grid, $0, picture) }) { return code }
        }
        return nil
    }

    private static func read(
        _ grid: FrameCodeGrid,
        _ bytes: UnsafeRawBufferPointer,
        _ picture: PixelBuffer
    ) -> FrameCode? {
        let (columns, rows) = (grid.layout.columns, grid.layout.rows)
        func brightness(_ column: Int, _ row: Int) -> Int {
            unsafe average(
                bytes,
                picture,
                x: grid.left(of: column)..<grid.left(of: column + 1),
                y: grid.top(of: row)..<grid.top(of: row + 1)
            )
        }
        var (light, dark) = (0, 0)
        for row in 0..<rows {
            let sum = brightness(0, row) + brightness(columns + 1, row)
            if row.isMultiple(of: 2) { light += sum } else { dark += sum }
        }
        (light, dark) = (light / rows, dark / rows)
        guard light - dark > 64 else { return nil }
        let threshold = (light + dark) / 2
        var bits: [Bool] = []
        for row in 0..<rows {
            for column in 1...columns { bits.append(brightness(column, row) > threshold) }
        }
        return FrameCode(bits: bits, layout: grid.layout)
    }

    /// The mean brightness, 0…255, of at most nine points in the middle half of a cell.
    private static func average(
        _ bytes: UnsafeRawBufferPointer,
        _ picture: PixelBuffer,
        x: Range<Int>,
        y: Range<Int>
    ) -> Int {
        // `while` loops: without optimisation, ranges and strides cost more than the reading.
        let inset = (x: x.count / 4, y: y.count / 4)
        let step = (x: max(1, (x.count - 2 * inset.x + 2) / 3), y: max(1, (y.count - 2 * inset.y + 2) / 3))
        let isGrey = picture.layout == .i420
        let width = picture.size.width
        var sum = 0
        var count = 0
        var row = y.lowerBound + inset.y
        while row < y.upperBound - inset.y {
            var column = x.lowerBound + inset.x
            while column < x.upperBound - inset.x {
                let index = row * width + column
                if isGrey {
                    sum += unsafe 3 * Int(bytes[index])
                } else {
                    sum +=
                        unsafe Int(bytes[3 * index]) + Int(bytes[3 * index + 1]) + Int(bytes[3 * index + 2])
                }
                count += 3
                column += step.x
            }
            row += step.y
        }
        return sum / max(1, count)
    }
}
