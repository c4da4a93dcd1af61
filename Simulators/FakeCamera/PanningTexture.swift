import Glibc
import PeerKit
import Services

/// A textured background wider than the picture, over which the view pans to and fro.
struct PanningTexture {
    /// How many pixels the view pans before it turns round.
    private static let travel = 128
    /// So many different rows are computed, which is what making a camera costs; each fills a band of the picture.
    private static let bands = 16

    private let luma: [[UInt8]]
    private let cb: [[UInt8]]
    private let cr: [[UInt8]]

    init(size: PixelSize, detail: Double, numbers: inout SeededNumbers) {
        let grain = Int(96 * min(1, max(0, detail)))
        luma = Self.rows(width: size.width + Self.travel, values: 50...190, grain: grain, &numbers)
        let half = (size.width + 1) / 2 + Self.travel / 2
        cb = Self.rows(width: half, values: 90...165, grain: grain / 8, &numbers)
        cr = Self.rows(width: half, values: 90...165, grain: grain / 8, &numbers)
    }

    /// Rows of knots 32 pixels apart, joined by straight lines, plus or minus `grain`.
    private static func rows(
        width: Int,
        values: ClosedRange<Int>,
        grain: Int,
        _ numbers: inout SeededNumbers
    ) -> [[UInt8]] {
        var knots = (0...(width / 32 + 1)).map { _ in Int.random(in: values, using: &numbers) }
        return (0..<bands).map { _ in
            for index in knots.indices {
                let moved = knots[index] + Int.random(in: -9...9, using: &numbers)
                knots[index] = min(values.upperBound, max(values.lowerBound, moved))
            }
            return row(width: width, knots, grain: grain, &numbers)
        }
    }

    private static func row(width: Int, _ knots: [Int], grain: Int, _ numbers: inout SeededNumbers) -> [UInt8]
    {
        unsafe [UInt8](unsafeUninitializedCapacity: width) { pixels, count in
            // One random number serves eight pixels; sums are in 256ths.
            var draw: UInt64 = 0
            var smooth = 0
            var slope = 0
            // A `while` loop: without optimisation a range costs more than the body.
            var x = 0
            while x < width {
                if x & 7 == 0 { draw = numbers.next() }
                if x & 31 == 0 {
                    smooth = knots[x >> 5] << 8
                    slope = (knots[x >> 5 + 1] - knots[x >> 5]) << 3
                }
                let noise = (Int(truncatingIfNeeded: draw & 0xFF) - 128) &* grain &* 2
                draw >>= 8
                let value = (smooth &+ noise) >> 8
                unsafe pixels[x] = value < 0 ? 0 : value > 255 ? 255 : UInt8(truncatingIfNeeded: value)
                smooth &+= slope
                x += 1
            }
            count = width
        }
    }

    /// Fills the whole picture.
    func draw(_ frame: Int, into bytes: UnsafeMutableRawBufferPointer, _ canvas: Canvas) {
        let phase = frame % (2 * Self.travel)
        let shift = phase < Self.travel ? phase : 2 * Self.travel - phase
        let size = canvas.size
        let chroma = canvas.chroma
        unsafe copy(luma, shift, bytes, at: 0, size)
        unsafe copy(cb, shift / 2, bytes, at: size.area, chroma)
        unsafe copy(cr, shift / 2, bytes, at: size.area + chroma.area, chroma)
    }

    private func copy(
        _ rows: [[UInt8]],
        _ shift: Int,
        _ bytes: UnsafeMutableRawBufferPointer,
        at start: Int,
        _ size: PixelSize
    ) {
        guard let base = bytes.baseAddress else { return }
        for row in 0..<size.height {
            // Each line of a band is shifted a little against the last, so that grain has no vertical streaks.
            let band = rows[row * Self.bands / size.height]
            let offset = min(shift + row * 7 % 13, band.count - size.width)
            unsafe band.withUnsafeBytes { source in
                guard let first = source.baseAddress else { return }
                unsafe memcpy(base + start + row * size.width, first + offset, size.width)
            }
        }
    }
}
