import PeerKit
import Services

/// A rectangle that wanders over the picture and comes back at the other side.
struct MovingShape {
    let width: Int
    let height: Int
    let color: YCbCr
    private let start: (x: Int, y: Int)
    private let step: (x: Int, y: Int)

    init(in size: PixelSize, numbers: inout SeededNumbers) {
        width = Int.random(in: size.width / 12...size.width / 5, using: &numbers)
        height = Int.random(in: size.height / 12...size.height / 5, using: &numbers)
        color = YCbCr(
            y: .random(in: 30...220, using: &numbers),
            cb: .random(in: 40...215, using: &numbers),
            cr: .random(in: 40...215, using: &numbers)
        )
        start = (
            .random(in: 0..<size.width, using: &numbers), .random(in: 0..<size.height, using: &numbers)
        )
        let steps = [-3, -2, -1, 1, 2, 3]
        step = (
            steps[Int.random(in: 0..<6, using: &numbers)] * max(1, size.width / 320),
            steps[Int.random(in: 0..<6, using: &numbers)] * max(1, size.height / 180)
        )
    }

    /// The upper left corner in the frame of that number.
    func place(in frame: Int, _ size: PixelSize) -> (x: Int, y: Int) {
        func wrapped(_ start: Int, _ step: Int, _ own: Int, _ span: Int) -> Int {
            let path = span + own
            // The remainder first: frame numbers grow without bound.
            let distance = (start + own + step * (frame % path)) % path
            return (distance + path) % path - own
        }
        return (wrapped(start.x, step.x, width, size.width), wrapped(start.y, step.y, height, size.height))
    }
}
