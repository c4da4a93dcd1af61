import Services

extension PlanarPicture {
    /// The size after one step of ×0.75, rounded down, at least one pixel.
    static func downscaled(_ size: PixelSize) -> PixelSize {
        PixelSize(width: max(1, size.width * 3 / 4), height: max(1, size.height * 3 / 4))
    }

    /// Fills this picture with `source` at three quarters of its width and height.
    ///
    /// Exact area averaging: each run of four samples becomes three, with weights 3:1, 2:2 and 1:3.
    func downscale(_ source: PlanarView) -> PlanarView {
        let target = unsafe reshape(to: Self.downscaled(source.size))
        let from = unsafe source.size.halved
        let to = unsafe target.size.halved
        unsafe Self.shrink(
            source.luma,
            PixelSize(width: 2 * from.width, height: 2 * from.height),
            into: target.luma,
            PixelSize(width: 2 * to.width, height: 2 * to.height)
        )
        unsafe Self.shrink(source.cb, from, into: target.cb, to)
        unsafe Self.shrink(source.cr, from, into: target.cr, to)
        return unsafe target
    }

    /// Shrinks one plane whose rows have no padding.
    private static func shrink(
        _ source: UnsafeMutablePointer<UInt8>,
        _ from: PixelSize,
        into target: UnsafeMutablePointer<UInt8>,
        _ to: PixelSize
    ) {
        for row in 0..<to.height {
            let y = row / 3 * 4 + row % 3
            let upperWeight = 3 - row % 3
            let upper = unsafe source + min(y, from.height - 1) * from.width
            let lower = unsafe source + min(y + 1, from.height - 1) * from.width
            let out = unsafe target + row * to.width
            for column in 0..<to.width {
                let x = column / 3 * 4 + column % 3
                let leftWeight = 3 - column % 3
                let left = min(x, from.width - 1)
                let right = min(x + 1, from.width - 1)
                let above = unsafe Int(upper[left]) * leftWeight + Int(upper[right]) * (4 - leftWeight)
                let below = unsafe Int(lower[left]) * leftWeight + Int(lower[right]) * (4 - leftWeight)
                let sum = above * upperWeight + below * (4 - upperWeight)
                unsafe out[column] = UInt8((sum + 8) / 16)
            }
        }
    }
}
