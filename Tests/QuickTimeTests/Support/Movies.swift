import FakeCamera
import JPEG
import QuickTime
import Services

/// Movies made up for tests.
enum Movies {
    static let size = PixelSize(width: 160, height: 90)

    /// JPEG files of a camera, each of which says its number.
    static func pictures(_ count: Int, quality: Int = 30) throws -> [[UInt8]] {
        let camera = FakeCamera(.init(size: size))
        let encoder = try JPEGEncoder()
        return try (0..<count).map { number in
            guard case .pixels(let picture) = camera.frame(number).content else { return [] }
            return try encoder.encode(picture, quality: quality)
        }
    }

    /// What a writer gave at once, and the time of the frame, or of the end, for which it did.
    struct Piece {
        var bytes: [UInt8]
        var time: Duration
    }

    /// Records pictures that are taken at these times.
    static func pieces(_ pictures: [[UInt8]], at times: [Duration], end: Duration) throws -> [Piece] {
        var writer = MovieWriter(size: size)
        var pieces = [Piece(bytes: writer.begin(), time: .zero)]
        for (picture, time) in zip(pictures, times) {
            let bytes = try writer.add(picture, at: time)
            if !bytes.isEmpty { pieces.append(Piece(bytes: bytes, time: time)) }
        }
        pieces.append(Piece(bytes: writer.finish(at: end), time: end))
        return pieces
    }

    /// A whole movie of so many frames a second.
    static func movie(_ pictures: [[UInt8]], framesPerSecond: Int) throws -> [UInt8] {
        let times = pictures.indices.map { time($0, framesPerSecond) }
        let end = time(pictures.count, framesPerSecond)
        return try pieces(pictures, at: times, end: end).flatMap(\.bytes)
    }

    static func time(_ frame: Int, _ framesPerSecond: Int) -> Duration {
        .nanoseconds(1_000_000_000 * frame / framesPerSecond)
    }
}

/// A box by its name and contents.
func box(_ name: String, _ contents: [UInt8] = []) -> [UInt8] {
    bytes(contents.count + 8) + Array(name.utf8) + contents
}

/// A number as four bytes.
func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}

extension Array where Element == UInt8 {
    /// Where these bytes begin first.
    func place(of text: String) -> Int? {
        let wanted = Array(text.utf8)
        return indices.first { self[$0...].starts(with: wanted) }
    }
}
