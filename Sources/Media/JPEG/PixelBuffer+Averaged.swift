package import Services

extension PixelBuffer {
    /// An RGB picture of a smaller size, each pixel of which is the exact average of the area that it covers.
    ///
    /// The cost is that of the larger picture.
    ///
    /// - Precondition: The picture is RGB, and `size` is not larger in any direction, nor empty.
    package func averaged(to size: PixelSize) -> PixelBuffer {
        precondition(layout == .rgb, "planes have another order of bytes")
        precondition(
            (1...self.size.width).contains(size.width) && (1...self.size.height).contains(size.height),
            "an average is of one pixel or more"
        )
        let columns = Coverage.spans(self.size.width, size.width)
        let rows = Coverage.spans(self.size.height, size.height)
        let area = self.size.area
        let stride = 3 * self.size.width
        return unsafe PixelBufferPool(size: size, layout: .rgb).makeBuffer { target in
            unsafe withBytes { source in
                var sums = [Int](repeating: 0, count: 3 * size.width)
                for (y, row) in rows.enumerated() {
                    for channel in sums.indices { sums[channel] = 0 }
                    for line in row {
                        for (x, column) in columns.enumerated() {
                            for pixel in column {
                                let place = line.index * stride + 3 * pixel.index
                                let weight = line.weight * pixel.weight
                                for channel in 0..<3 {
                                    unsafe sums[3 * x + channel] += weight * Int(source[place + channel])
                                }
                            }
                        }
                    }
                    for (offset, sum) in sums.enumerated() {
                        unsafe target[y * sums.count + offset] = UInt8((sum + area / 2) / area)
                    }
                }
            }
        }
    }
}

/// How much of a pixel of the larger picture lies in one of the smaller, in parts of which the smaller one has as many as the
/// larger has pixels in a row.
private struct Coverage {
    var index: Int
    var weight: Int

    /// What each of `count` pixels covers of `length`; the weights of each add up to `length`.
    static func spans(_ length: Int, _ count: Int) -> [[Coverage]] {
        (0..<count).map { number in
            let (from, end) = (number * length, (number + 1) * length)
            return (from / count..<(end + count - 1) / count).map { index in
                Coverage(index: index, weight: min(end, (index + 1) * count) - max(from, index * count))
            }
        }
    }
}
