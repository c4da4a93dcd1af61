import AppKernel
import Files
import Foundation
import JPEG
import Lens
import QuickTime
import Services

/// Movies of real pictures, each of which shows its number as a grey.
enum Clip {
    static let size = PixelSize(width: 64, height: 48)
    /// The most pictures that can be told apart.
    static let limit = 40

    /// A JPEG file that shows a number.
    static func jpeg(_ number: Int) throws -> [UInt8] {
        let buffer = PixelBuffer(size: size, layout: .rgb)
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices { unsafe bytes[index] = UInt8(6 * number + 8) }
        }
        return try JPEGEncoder().encode(buffer, quality: 90)
    }

    /// The number that a JPEG file shows.
    static func number(_ jpeg: some Sequence<UInt8>) throws -> Int {
        let picture = try JPEGDecoder().decode(Array(jpeg), layout: .rgb)
        let grey = unsafe picture.withBytes { unsafe Int($0[0]) }
        return (grey - 8 + 3) / 6
    }

    /// A movie of so many pictures, four a second, which show their places in it.
    ///
    /// - Parameter damaged: Places at which there is no picture, but other bytes.
    static func movie(_ count: Int, damaged: Set<Int> = []) throws -> [UInt8] {
        var writer = MovieWriter(size: size)
        var bytes = writer.begin()
        for number in 0..<count {
            let picture = damaged.contains(number) ? [0xFF, 0xD8, 0xFF, 0xD9] : try jpeg(number)
            bytes += try writer.add(picture, at: .milliseconds(250 * number))
        }
        return bytes + writer.finish(at: .milliseconds(250 * count))
    }

    /// A movie whose one picture is of another kind.
    static func movie(codec: String) throws -> [UInt8] {
        let movie = try movie(1)
        let jpeg = Array("jpeg".utf8)
        let place = movie.indices.first { movie[$0...].starts(with: jpeg) } ?? 0
        return movie[..<place] + Array(codec.utf8) + movie[(place + 4)...]
    }

    /// A file as it comes from a network.
    static func pieces(_ file: [UInt8], of count: Int = 1000) -> AsyncStream<[UInt8]> {
        AsyncStream { coming in
            for start in stride(from: 0, to: file.count, by: count) {
                coming.yield(Array(file[start..<min(start + count, file.count)]))
            }
            coming.finish()
        }
    }
}

extension AppFixture {
    /// Puts a video into the gallery.
    func addVideo(_ movie: [UInt8]) async throws -> UUID {
        let id = UUID()
        try documents.create(MediaLibrary.fileName(of: id, kind: .video), bytes: movie)
        try app.library.add(id: id, kind: .video, createdAt: Date(), wantsUpload: false)
        await app.gallery.refresh()
        return id
    }

    /// The names of the clips on the disk.
    var clips: [String] { documents.names().filter { $0.hasPrefix("clip_") } }
}
