import Glibc
import Services

/// Fills shapes with smooth edges, in an I420 picture.
///
/// Each row of pixels is looked at on four lines. What all four cover is filled by `memset`; only the pixels at the edges are computed one
/// by one, so that it is fast without optimisation too.
struct Painter {
    /// What the picture shows.
    let view: View
    /// What is painted on.
    let picture: PixelBuffer
    /// Whether left and right are exchanged within the view.
    var isMirrored = false

    /// Lines that each row of pixels is looked at on.
    private static let lines = 4

    /// Fills a shape; `opacity` is 0…1.
    func fill(_ shape: Shape, _ paint: Paint, opacity: Double = 1) {
        let shape = isMirrored ? shape.mirrored(within: view.left + view.right) : shape
        let color = paint.color
        let chroma = Canvas(size: view.size).chroma
        let part = Int((opacity * 256).rounded())
        unsafe picture.withMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let cb = unsafe base + view.size.area
            unsafe fill(shape, base, view.size, view.scale, color.y, part)
            unsafe fill(shape, cb, chroma, view.scale / 2, color.cb, part)
            unsafe fill(shape, cb + chroma.area, chroma, view.scale / 2, color.cr, part)
        }
    }

    /// Gives every pixel one colour.
    func fillAll(_ paint: Paint) {
        let color = paint.color
        let chroma = Canvas(size: view.size).chroma
        unsafe picture.withMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe memset(base, Int32(color.y), view.size.area)
            unsafe memset(base + view.size.area, Int32(color.cb), chroma.area)
            unsafe memset(base + view.size.area + chroma.area, Int32(color.cr), chroma.area)
        }
    }

    /// Fills a rectangle that changes from one colour at its top to another at its bottom.
    func gradient(_ box: Box, _ upper: Paint, _ lower: Paint) {
        let bands = min(24, max(1, Int(box.height * view.scale / 2)))
        let height = box.height / Double(bands)
        for band in 0..<bands {
            let paint = upper.mixed(with: lower, Double(band) / Double(max(1, bands - 1)))
            let y = box.y + Double(band) * height
            // Each but the last reaches into the next, so that no edge shows between them.
            let overlap = band < bands - 1 ? height / 2 : 0
            fill(.rectangle(box.x, y, box.width, height + overlap), paint)
        }
    }

    private func fill(
        _ shape: Shape,
        _ plane: UnsafeMutableRawPointer,
        _ size: PixelSize,
        _ scale: Double,
        _ value: UInt8,
        _ opacity: Int
    ) {
        let width = Double(size.width)
        var row = max(0, Int(((shape.top - view.top) * scale).rounded(.down)))
        let end = min(size.height, Int(((shape.bottom - view.top) * scale).rounded(.up)))
        var spans: [(left: Double, right: Double)] = []
        spans.reserveCapacity(Self.lines)
        while row < end {
            spans.removeAll(keepingCapacity: true)
            var (outerLeft, outerRight) = (width, 0.0)
            var (innerLeft, innerRight) = (0.0, width)
            var line = 0
            while line < Self.lines {
                let part = (Double(line) + 0.5) / Double(Self.lines)
                line += 1
                guard let span = shape.span(view.top + (Double(row) + part) / scale) else { continue }
                let left = min(width, max(0, (span.left - view.left) * scale))
                let right = min(width, max(0, (span.right - view.left) * scale))
                guard left < right else { continue }
                spans.append((left, right))
                outerLeft = min(outerLeft, left)
                outerRight = max(outerRight, right)
                innerLeft = max(innerLeft, left)
                innerRight = min(innerRight, right)
            }
            if !spans.isEmpty {
                let pixels = unsafe plane + row * size.width
                let whole =
                    Int(
                        innerLeft.rounded(.up)
                    )..<max(
                        Int(innerLeft.rounded(.up)),
                        spans.count == Self.lines ? Int(innerRight) : 0
                    )
                if opacity == 256 {
                    unsafe memset(pixels + whole.lowerBound, Int32(value), whole.count)
                } else {
                    unsafe blend(pixels, whole, value, opacity)
                }
                let first = Int(outerLeft)
                let last = Int(outerRight.rounded(.up))
                let isSplit = !whole.isEmpty
                unsafe edge(pixels, first..<(isSplit ? whole.lowerBound : last), spans, value, opacity)
                if isSplit { unsafe edge(pixels, whole.upperBound..<last, spans, value, opacity) }
            }
            row += 1
        }
    }

    private func edge(
        _ pixels: UnsafeMutableRawPointer,
        _ columns: Range<Int>,
        _ spans: [(left: Double, right: Double)],
        _ value: UInt8,
        _ opacity: Int
    ) {
        var column = columns.lowerBound
        while column < columns.upperBound {
            var covered = 0.0
            for span in spans {
                covered += max(0, min(span.right, Double(column + 1)) - max(span.left, Double(column)))
            }
            let part = Int(covered / Double(Self.lines) * Double(opacity))
            unsafe blend(pixels, column..<(column + 1), value, part)
            column += 1
        }
    }

    private func blend(
        _ pixels: UnsafeMutableRawPointer,
        _ columns: Range<Int>,
        _ value: UInt8,
        _ part: Int
    ) {
        let bytes = unsafe pixels.assumingMemoryBound(to: UInt8.self)
        var column = columns.lowerBound
        while column < columns.upperBound {
            let old = unsafe Int(bytes[column])
            unsafe bytes[column] = UInt8(truncatingIfNeeded: old + ((Int(value) - old) * part) / 256)
            column += 1
        }
    }
}
