import Glibc
import Services

/// A small picture with an outline, painted once and laid over many frames.
struct Sprite {
    /// A whole piece of a row, whose pixels begin at `start`.
    private struct Piece {
        var row: Int
        var column: Int
        var count: Int
        var start: Int
    }

    /// A pixel that adds `light` to the ground, of which `rest` of 255 stays.
    private struct Edge {
        var row: Int
        var column: Int
        var light: Int
        var rest: Int
    }

    /// What lies in one plane: pieces to copy, and pixels to mix.
    private struct Layer {
        var pieces: [Piece] = []
        var pixels: [UInt8] = []
        var edges: [Edge] = []
    }

    private let layers: [Layer]
    private let box: Box

    /// Paints what lies in a box, at the scale of a view.
    init(_ box: Box, scale: Double, _ paint: (Painter) -> Void) {
        self.box = box
        let view = View(box, scale: scale)
        // What differs between a black and a white ground lets the ground through.
        let grounds = [0, 255].map { ground in
            let picture = PixelBuffer(size: view.size, layout: .i420)
            unsafe picture.withMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                unsafe memset(base, Int32(ground), bytes.count)
            }
            paint(Painter(view: view, picture: picture))
            return picture
        }
        let chroma = PixelSize(width: view.size.width / 2, height: view.size.height / 2)
        var start = 0
        layers = [view.size, chroma, chroma].map { size in
            defer { start += size.area }
            return unsafe grounds[0].withBytes { dark in
                unsafe grounds[1].withBytes { light in unsafe Self.layer(dark, light, start, size) }
            }
        }
    }

    private static func layer(
        _ dark: UnsafeRawBufferPointer,
        _ light: UnsafeRawBufferPointer,
        _ start: Int,
        _ size: PixelSize
    ) -> Layer {
        var layer = Layer()
        // `while`: without optimisation, ranges cost more than the rest.
        var row = 0
        while row < size.height {
            let line = start &+ row &* size.width
            var (column, piece) = (0, 0)
            while column <= size.width {
                let isInside = column < size.width
                let black = unsafe isInside ? Int(dark[line &+ column]) : 0
                let rest = unsafe isInside ? Int(light[line &+ column]) &- black : 255
                if rest == 0 {
                    layer.pixels.append(UInt8(truncatingIfNeeded: black))
                    piece &+= 1
                } else {
                    if piece > 0 {
                        let first = layer.pixels.count - piece
                        layer.pieces.append(
                            Piece(row: row, column: column - piece, count: piece, start: first)
                        )
                        piece = 0
                    }
                    if rest < 255 {
                        layer.edges.append(Edge(row: row, column: column, light: black, rest: rest))
                    }
                }
                column &+= 1
            }
            row &+= 1
        }
        return layer
    }

    /// Lays it over a picture, with the upper left corner of its box there; what lies outside of the picture is cut off.
    func draw(x: Double, y: Double, _ view: View, _ canvas: Canvas, into bytes: UnsafeMutableRawBufferPointer)
    {
        guard let base = bytes.baseAddress else { return }
        // In samples of colour, so that brightness and colour stay together.
        let left = Int(((x - view.left) * view.scale / 2).rounded())
        let top = Int(((y - view.top) * view.scale / 2).rounded())
        unsafe draw(layers[0], 2 * left, 2 * top, base, canvas.size)
        let cb = unsafe base + canvas.size.area
        unsafe draw(layers[1], left, top, cb, canvas.chroma)
        unsafe draw(layers[2], left, top, cb + canvas.chroma.area, canvas.chroma)
    }

    private func draw(
        _ layer: Layer,
        _ left: Int,
        _ top: Int,
        _ plane: UnsafeMutableRawPointer,
        _ size: PixelSize
    ) {
        unsafe layer.pixels.withUnsafeBytes { pixels in
            unsafe layer.pieces.withUnsafeBufferPointer { pieces in
                guard let source = pixels.baseAddress else { return }
                var index = 0
                while index < pieces.count {
                    let piece = unsafe pieces[index]
                    index &+= 1
                    let row = top &+ piece.row
                    let first = max(0, left &+ piece.column)
                    let count = min(size.width, left &+ piece.column &+ piece.count) &- first
                    if row < 0 || row >= size.height || count <= 0 { continue }
                    let skipped = first &- left &- piece.column
                    unsafe memcpy(
                        plane + (row &* size.width &+ first),
                        source + (piece.start &+ skipped),
                        count
                    )
                }
            }
        }
        let target = unsafe plane.assumingMemoryBound(to: UInt8.self)
        unsafe layer.edges.withUnsafeBufferPointer { edges in
            // `while` and unchecked sums: without optimisation they decide what a frame costs.
            var index = 0
            while index < edges.count {
                let edge = unsafe edges[index]
                index &+= 1
                let row = top &+ edge.row
                let column = left &+ edge.column
                if row < 0 || row >= size.height || column < 0 || column >= size.width { continue }
                let place = row &* size.width &+ column
                let sum = unsafe edge.light &+ Int(target[place]) &* edge.rest / 255
                unsafe target[place] = UInt8(truncatingIfNeeded: sum)
            }
        }
    }
}
