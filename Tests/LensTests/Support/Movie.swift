import Files
import Foundation
import Lens
import QuickTime
import Services
import Testing

/// Pictures for recordings, and what became of them.
enum Movie {
    static let size = PixelSize(width: 32, height: 24)

    /// Begins as a JPEG file does, and says its number.
    static func jpeg(_ number: Int) -> [UInt8] { [0xFF, 0xD8, 0xFF, UInt8(number)] }

    /// A picture that was taken `number` tenths of a second after the camera was connected.
    static func frame(_ number: Int, size: PixelSize? = Movie.size) -> VideoFrame {
        VideoFrame(
            sequence: number,
            timestamp: .milliseconds(100 * number),
            size: size,
            content: .jpeg(jpeg(number))
        )
    }

    /// The numbers of the pictures in a file.
    static func numbers(_ name: String, in documents: FileFolder) throws -> [Int] {
        let movie = try MovieReader(documents.read(name, upTo: 10_000_000))
        return try movie.frames.indices.map { Int(try movie.jpeg(ofFrame: $0)[3]) }
    }
}

extension ScriptedCamera {
    /// Shows pictures, ten a second.
    func show(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            show(Movie.frame(number))
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
