import JPEG
import PeerKit
import Services
import Synchronization

/// Draws the pictures of posts and avatars: hills below a sky, the same for the same name.
final class DrawnPictures: Sendable {
    private static let quality = 85
    private static let most = 64

    private struct Colour {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        init(_ numbers: inout SeededNumbers, _ range: ClosedRange<UInt8>) {
            red = .random(in: range, using: &numbers)
            green = .random(in: range, using: &numbers)
            blue = .random(in: range, using: &numbers)
        }

        init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// A mixture, with a share of the other from 0 to 256.
        func mixed(_ other: Colour, _ share: Int) -> Colour {
            func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
                UInt8(clamping: (Int(one) * (256 - share) + Int(two) * share) / 256)
            }
            return Colour(mix(red, other.red), mix(green, other.green), mix(blue, other.blue))
        }
    }

    private struct State: ~Copyable {
        /// One at a time: an encoder keeps memory between pictures.
        var encoder: JPEGEncoder?
        var files: [String: [UInt8]] = [:]
    }

    private let state = Mutex(State())

    /// The picture of that name as a JPEG file.
    func jpeg(_ name: String, _ size: PixelSize) -> [UInt8] {
        state.withLock { state in
            if let file = state.files[name] { return file }
            do {
                let encoder = try state.encoder ?? JPEGEncoder()
                state.encoder = encoder
                let file = try encoder.encode(Self.draw(name, size), quality: Self.quality)
                if state.files.count >= Self.most { state.files = [:] }
                state.files[name] = file
                return file
            } catch { preconditionFailure("a picture of \(size) cannot be encoded: \(error)") }
        }
    }

    private static func draw(_ name: String, _ size: PixelSize) -> PixelBuffer {
        let picture = PixelBuffer(size: size, layout: .rgb)
        // FNV-1a, which is the same in every process.
        let seed = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var numbers = SeededNumbers(seed: seed)
        let (above, below) = (Colour(&numbers, 20...160), Colour(&numbers, 150...250))
        let (near, far) = (Colour(&numbers, 10...70), Colour(&numbers, 60...140))
        let hills = (0..<2).map { layer in hill(layer, size, &numbers) }
        let radius = size.height / Int.random(in: 9...16, using: &numbers)
        let sun = (
            Int.random(in: radius..<size.width - radius, using: &numbers),
            Int.random(in: radius..<size.height / 2, using: &numbers)
        )
        unsafe picture.withMutableBytes { bytes in
            for row in 0..<size.height {
                let sky = above.mixed(below, 256 * row / size.height)
                let height = row - sun.1
                for column in 0..<size.width {
                    let width = column - sun.0
                    let colour: Colour =
                        if row > hills[1][column] {
                            near
                        } else if row > hills[0][column] {
                            far
                        } else {
                            width * width + height * height < radius * radius ? Colour(255, 244, 214) : sky
                        }
                    let index = 3 * (row * size.width + column)
                    unsafe bytes[index] = colour.red
                    unsafe bytes[index + 1] = colour.green
                    unsafe bytes[index + 2] = colour.blue
                }
            }
        }
        return picture
    }

    /// Where a range of hills begins in each column: lines between a few heights.
    private static func hill(_ layer: Int, _ size: PixelSize, _ numbers: inout SeededNumbers) -> [Int] {
        let top = size.height * (layer == 0 ? 45 : 65) / 100
        let heights = (0...6).map { _ in Int.random(in: top..<top + size.height / 4, using: &numbers) }
        return (0..<size.width).map { column in
            let (part, rest) = (6 * column).quotientAndRemainder(dividingBy: size.width)
            return heights[part] + (heights[part + 1] - heights[part]) * rest / size.width
        }
    }
}
