import JPEG
import PeerKit
import Services
import Synchronization

/// Draws the pictures of events: an evening in the garden, somebody in it, and the event's number in bars along the upper edge.
final class EventPictures: Sendable {
    /// 320×180 pixels, as small previews are.
    static let size = PixelSize(width: 320, height: 180)
    /// Bars for the bits of a number, the highest first.
    static let barCount = 16
    /// The rows that the bars take.
    static let barHeight = 20
    private static let quality = 85

    private struct Colour {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    /// One at a time: an encoder keeps memory between pictures.
    private let encoder: Mutex<JPEGEncoder?> = Mutex(nil)

    /// The picture of an event as a JPEG file, the same whenever it is drawn.
    func jpeg(_ number: Int, _ event: HubEvent) -> [UInt8] {
        let pixels = Self.draw(number, event)
        return encoder.withLock { encoder in
            do {
                let ready = try encoder ?? JPEGEncoder()
                encoder = ready
                return try ready.encode(pixels, quality: Self.quality)
            } catch { preconditionFailure("a picture of 320×180 pixels cannot be encoded: \(error)") }
        }
    }

    private static func draw(_ number: Int, _ event: HubEvent) -> PixelBuffer {
        let picture = PixelBuffer(size: size, layout: .rgb)
        // FNV-1a, which is the same in every process.
        let seed = event.cameraID.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var numbers = SeededNumbers(seed: seed ^ UInt64(truncatingIfNeeded: number))
        let ground = Colour(red: UInt8(seed & 63) + 40, green: UInt8(seed >> 8 & 63) + 70, blue: 50)
        let clothes = Colour(
            red: .random(in: 0...255, using: &numbers),
            green: .random(in: 0...255, using: &numbers),
            blue: .random(in: 0...255, using: &numbers)
        )
        // Persons are tall, vehicles wide, packages small.
        let (width, height) =
            switch event.detectionType {
            case "person", "ring": (22, 70)
            case "vehicle": (90, 40)
            case "package": (24, 20)
            default: (40, 30)
            }
        let left = Int.random(in: 0...(size.width - width), using: &numbers)
        let foot = Int.random(in: 130...170, using: &numbers)
        let shape = (left..<left + width, foot - height..<foot)
        unsafe picture.withMutableBytes { bytes in
            for row in 0..<size.height {
                for column in 0..<size.width {
                    // Sensors are noisy, so that the file has the size of a photograph.
                    let noise = Int.random(in: -6...6, using: &numbers)
                    let colour: Colour =
                        if row < barHeight {
                            bar(column, number)
                        } else if shape.0.contains(column), shape.1.contains(row) {
                            clothes
                        } else {
                            row < 90 ? Colour(red: 60, green: 80, blue: UInt8(210 - row)) : ground
                        }
                    let index = 3 * (row * size.width + column)
                    for (offset, value) in [colour.red, colour.green, colour.blue].enumerated() {
                        unsafe bytes[index + offset] = UInt8(clamping: Int(value) + noise)
                    }
                }
            }
        }
        return picture
    }

    /// White for a bit that is set, black for one that is not.
    private static func bar(_ column: Int, _ number: Int) -> Colour {
        let bit = barCount - 1 - column * barCount / size.width
        let value: UInt8 = number >> bit & 1 == 1 ? 235 : 20
        return Colour(red: value, green: value, blue: value)
    }
}
