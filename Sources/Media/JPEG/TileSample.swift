import Services

/// A small picture made of a fixed lattice of a frame's 16×16 blocks, to estimate how large its JPEG file gets.
///
/// Sixteen pixels are one 4:2:0 MCU, so that a block costs in the sample about what it costs in the frame. The
/// choice of blocks depends on the frame's size alone.
final class TileSample {
    private static let tile = 16
    private let picture = PlanarPicture()

    var growths: Int { picture.growths }

    /// One in how many blocks is taken: at most 16, and fewer where 128 blocks would not be reached.
    static func stride(for size: PixelSize) -> Int {
        let tiles = (size.width / tile) * (size.height / tile)
        return min(16, max(4, tiles / 128))
    }

    /// Returns the sample of `source`, and how many times larger the sampled picture is; `nil` when it has
    /// too few blocks to tell anything.
    func take(_ source: PlanarView) -> (view: PlanarView, scale: Double)? {
        let columns = unsafe source.size.width / Self.tile
        let rows = unsafe source.size.height / Self.tile
        let stride = unsafe Self.stride(for: source.size)
        // Each row of the sample holds the blocks of as many rows as it takes to fill about 16.
        let count = Self.positions(columns, rows, stride).reduce(0) { total, _ in total + 1 }
        let across = min(16, count)
        let down = across == 0 ? 0 : count / across
        guard across * down >= 8 else { return nil }
        let size = PixelSize(width: across * Self.tile, height: down * Self.tile)
        let target = unsafe picture.reshape(to: size)
        var taken = 0
        for (column, row) in Self.positions(columns, rows, stride) where taken < across * down {
            unsafe Self.copyTile(source, column, row, to: target, taken % across, taken / across)
            taken += 1
        }
        let scale = unsafe Double(source.size.area) / Double(size.area)
        return unsafe (target, scale)
    }

    /// The blocks to take: every `stride`-th of a row, shifted by 5 from row to row so that no direction repeats
    /// itself (5 is coprime to most strides, and 1 is used with its multiples).
    private static func positions(
        _ columns: Int,
        _ rows: Int,
        _ stride: Int
    ) -> some Sequence<(Int, Int)> {
        let shift = stride.isMultiple(of: 5) ? 3 : 5
        return (0..<rows).lazy.flatMap { row in
            Swift.stride(from: row * shift % stride, to: columns, by: stride).lazy.map { ($0, row) }
        }
    }

    private static func copyTile(
        _ source: PlanarView,
        _ column: Int,
        _ row: Int,
        to target: PlanarView,
        _ x: Int,
        _ y: Int
    ) {
        let half = tile / 2
        for line in 0..<tile {
            unsafe (target.luma + (y * tile + line) * target.lumaStride + x * tile)
                .update(
                    from: source.luma + (row * tile + line) * source.lumaStride + column * tile,
                    count: tile
                )
        }
        for line in 0..<half {
            let from = unsafe (row * half + line) * source.chromaStride + column * half
            let to = unsafe (y * half + line) * target.chromaStride + x * half
            unsafe (target.cb + to).update(from: source.cb + from, count: half)
            unsafe (target.cr + to).update(from: source.cr + from, count: half)
        }
    }
}
