import Glibc

/// A flat shape whose every horizontal line is one piece: what a ``Painter`` fills.
///
/// Coordinates are those of the scene, with y growing downwards.
struct Shape {
    /// Where it begins.
    let top: Double
    /// Where it ends.
    let bottom: Double
    /// Its left and right end at a height; `nil` where nothing of it is.
    let span: (_ y: Double) -> (left: Double, right: Double)?

    /// A rectangle with round corners.
    static func rectangle(
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        radius: Double = 0
    ) -> Shape {
        let radius = min(radius, width / 2, height / 2)
        return Shape(top: y, bottom: y + height) { line in
            guard line >= y, line < y + height else { return nil }
            let depth = max(y + radius - line, line - (y + height - radius), 0)
            let inset = depth > 0 ? radius - (radius * radius - depth * depth).squareRoot() : 0
            return (x + inset, x + width - inset)
        }
    }

    /// An ellipse around a point.
    static func ellipse(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Shape {
        Shape(top: y - height, bottom: y + height) { line in
            let part = (line - y) / height
            guard abs(part) < 1 else { return nil }
            let half = width * (1 - part * part).squareRoot()
            return (x - half, x + half)
        }
    }

    /// A disc around a point.
    static func disc(_ x: Double, _ y: Double, _ radius: Double) -> Shape { ellipse(x, y, radius, radius) }

    /// What lies between the outermost crossings of each line with the edges through these points.
    static func polygon(_ points: [(x: Double, y: Double)]) -> Shape {
        let heights = points.map(\.y)
        return Shape(top: heights.min() ?? 0, bottom: heights.max() ?? 0) { line in
            var (left, right) = (Double.infinity, -Double.infinity)
            var from = points[points.count - 1]
            for to in points {
                if (from.y <= line) != (to.y <= line) {
                    let x = from.x + (to.x - from.x) * (line - from.y) / (to.y - from.y)
                    left = min(left, x)
                    right = max(right, x)
                }
                from = to
            }
            return left < right ? (left, right) : nil
        }
    }

    /// The same with left and right exchanged; `sum` is that of the edges between which it is turned.
    func mirrored(within sum: Double) -> Shape {
        Shape(top: top, bottom: bottom) { [span] line in
            span(line).map { (sum - $0.right, sum - $0.left) }
        }
    }

    /// A straight stroke from one point to another.
    static func line(
        _ from: (x: Double, y: Double),
        _ to: (x: Double, y: Double),
        width: Double
    ) -> Shape {
        let (x, y) = (to.x - from.x, to.y - from.y)
        let length = max(0.001, (x * x + y * y).squareRoot())
        let (across, down) = (-y / length * width / 2, x / length * width / 2)
        return polygon([
            (from.x + across, from.y + down), (to.x + across, to.y + down),
            (to.x - across, to.y - down), (from.x - across, from.y - down),
        ])
    }
}

/// A colour of red, green and blue.
struct Paint: Hashable {
    let red: Double
    let green: Double
    let blue: Double

    /// Reads `0xRRGGBB`.
    init(_ code: Int) {
        red = Double(code >> 16 & 0xFF)
        green = Double(code >> 8 & 0xFF)
        blue = Double(code & 0xFF)
    }

    private init(_ red: Double, _ green: Double, _ blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// A mixture, with `share` of the other colour, 0…1.
    func mixed(with other: Paint, _ share: Double) -> Paint {
        Paint(
            red + (other.red - red) * share,
            green + (other.green - green) * share,
            blue + (other.blue - blue) * share
        )
    }

    /// Darker, by a share of 0…1.
    func darker(_ share: Double) -> Paint { mixed(with: Paint(0), share) }

    /// Lighter, by a share of 0…1.
    func lighter(_ share: Double) -> Paint { mixed(with: Paint(0xFF_FFFF), share) }

    /// By the formulas of JFIF 1.02, page 3.
    var color: YCbCr {
        func byte(_ value: Double) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
        return YCbCr(
            y: byte(0.299 * red + 0.587 * green + 0.114 * blue),
            cb: byte(-0.1687 * red - 0.3313 * green + 0.5 * blue + 128),
            cr: byte(0.5 * red - 0.4187 * green - 0.0813 * blue + 128)
        )
    }
}
