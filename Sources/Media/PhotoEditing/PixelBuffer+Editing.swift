import Services

extension PixelBuffer {
    /// An RGB picture as its orientation says that it is seen.
    func upright(_ orientation: PhotoOrientation) -> PixelBuffer {
        guard orientation != .up else { return self }
        let (width, height) = (size.width, size.height)
        let shown =
            orientation.swapsSides ? PixelSize(width: height, height: width) : size
        // From which stored pixel the shown ones begin, and how far it is to the next in a shown row and column.
        let origin =
            (orientation.startsInLastRow ? (height - 1) * width : 0)
            + (orientation.startsAtEndOfRow ? width - 1 : 0)
        let alongRow = orientation.startsAtEndOfRow ? -1 : 1
        let alongColumn = orientation.startsInLastRow ? -width : width
        let (right, down) = orientation.swapsSides ? (alongColumn, alongRow) : (alongRow, alongColumn)
        return rearranged(shown, origin: origin, right: right, down: down)
    }

    /// A part of an RGB picture.
    func cropped(_ columns: Range<Int>, _ rows: Range<Int>) -> PixelBuffer {
        rearranged(
            PixelSize(width: columns.count, height: rows.count),
            origin: rows.lowerBound * size.width + columns.lowerBound,
            right: 1,
            down: size.width
        )
    }

    /// A picture of the pixels of this one: the first is at `origin`, the next to its right `right` pixels further, the one
    /// below `down` pixels further.
    private func rearranged(_ target: PixelSize, origin: Int, right: Int, down: Int) -> PixelBuffer {
        unsafe made(target) { source, bytes in
            var place = 0
            for y in 0..<target.height {
                var pixel = 3 * (origin + y * down)
                for _ in 0..<target.width {
                    unsafe bytes[place] = source[pixel]
                    unsafe bytes[place + 1] = source[pixel + 1]
                    unsafe bytes[place + 2] = source[pixel + 2]
                    place += 3
                    pixel += 3 * right
                }
            }
        }
    }

    /// An RGB picture with its colours changed.
    func filtered(_ filter: PhotoFilter) -> PixelBuffer {
        guard let matrix = filter.matrix else { return self }
        let parts = matrix.flatMap(\.self)
        return unsafe made(size) { source, bytes in
            for place in stride(from: 0, to: bytes.count, by: 3) {
                let (red, green, blue) = unsafe (
                    Int(source[place]), Int(source[place + 1]), Int(source[place + 2])
                )
                for channel in 0..<3 {
                    let row = 3 * channel
                    let sum = parts[row] * red + parts[row + 1] * green + parts[row + 2] * blue
                    unsafe bytes[place + channel] = UInt8(clamping: (sum + 128) >> 8)
                }
            }
        }
    }

    private func made(
        _ target: PixelSize,
        _ fill: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Void
    ) -> PixelBuffer {
        precondition(layout == .rgb, "planes have another order of bytes")
        let picture = PixelBuffer(size: target, layout: .rgb)
        unsafe withBytes { source in
            unsafe picture.withMutableBytes { bytes in unsafe fill(source, bytes) }
        }
        return picture
    }
}
