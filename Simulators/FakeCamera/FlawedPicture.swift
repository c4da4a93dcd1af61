import Services

/// Pictures with a flaw, made of sound ones.
enum FlawedPicture {
    /// The upper half of one picture over the lower half of another of the same shape.
    static func torn(_ upper: PixelBuffer, _ lower: PixelBuffer) -> PixelBuffer {
        let picture = PixelBuffer(size: upper.size, layout: upper.layout)
        unsafe picture.withMutableBytes { bytes in
            unsafe upper.withBytes { unsafe bytes.copyMemory(from: $0) }
            var start = 0
            for plane in upper.planes {
                let half = plane.rowBytes * (plane.rows / 2)
                let rest = plane.rowBytes * plane.rows - half
                unsafe lower.withBytes { source in
                    let part = unsafe UnsafeRawBufferPointer(rebasing: source[(start + half)...].prefix(rest))
                    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(start + half)...]).copyMemory(
                        from: part
                    )
                }
                start += plane.rowBytes * plane.rows
            }
        }
        return picture
    }

    /// All zeros in luma and chroma, which is a dark green.
    static func green(_ size: PixelSize, _ layout: PixelBuffer.Layout) -> PixelBuffer {
        let picture = PixelBuffer(size: size, layout: layout)
        unsafe picture.withMutableBytes { bytes in
            for index in bytes.indices {
                // Green alone is left of zeros: 0.344 and 0.714 of 128 by the formulas of JFIF 1.02, page 3.
                unsafe bytes[index] = layout == .rgb && index % 3 == 1 ? 135 : 0
            }
        }
        return picture
    }

    /// Every second pixel of every second row.
    static func halved(_ picture: PixelBuffer) -> PixelBuffer {
        let size = PixelSize(width: max(1, picture.size.width / 2), height: max(1, picture.size.height / 2))
        let half = PixelBuffer(size: size, layout: picture.layout)
        unsafe half.withMutableBytes { target in
            unsafe picture.withBytes { source in
                var (from, to) = (0, 0)
                for (plane, small) in zip(picture.planes, half.planes) {
                    for row in 0..<small.rows {
                        for column in 0..<small.rowBytes {
                            let (pixel, part) = column.quotientAndRemainder(dividingBy: small.pixelBytes)
                            let place =
                                min(2 * row, plane.rows - 1) * plane.rowBytes
                                + min(2 * pixel * plane.pixelBytes, plane.rowBytes - plane.pixelBytes) + part
                            unsafe target[to + row * small.rowBytes + column] = source[from + place]
                        }
                    }
                    from += plane.rowBytes * plane.rows
                    to += small.rowBytes * small.rows
                }
            }
        }
        return half
    }
}

extension PixelBuffer {
    /// The planes of the picture, one behind the other.
    fileprivate var planes: [(rowBytes: Int, rows: Int, pixelBytes: Int)] {
        switch layout {
        case .rgb: return [(3 * size.width, size.height, 3)]
        case .i420:
            let (width, height) = ((size.width + 1) / 2, (size.height + 1) / 2)
            return [(size.width, size.height, 1), (width, height, 1), (width, height, 1)]
        }
    }
}
