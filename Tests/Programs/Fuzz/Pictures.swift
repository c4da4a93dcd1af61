import Foundation
import JPEG
import Services

@testable import ImageFolderCamera
@testable import V4L2Camera

/// Small, so that an input takes milliseconds.
private let limits = JPEGLimits(maximumSide: 2_000, maximumArea: 500_000)

/// Everything that reads a camera's JPEG file: what one part takes for whole has what the others say of it.
func parseJPEG(_ bytes: [UInt8]) {
    if let file = unsafe bytes.withUnsafeBytes({ unsafe JPEGExtent.file(in: $0) }) {
        precondition(bytes.starts(with: file) && file.suffix(2) == [0xFF, 0xD9], "a file ends at its end")
    }
    guard let decoder = try? JPEGDecoder(limits: limits) else { return }
    let header = try? decoder.acceptableHeader(of: bytes)
    for layout in [PixelBuffer.Layout.i420, .rgb] {
        for tolerant in [false, true] {
            guard let picture = try? decoder.decode(bytes, layout: layout, tolerant: tolerant) else {
                continue
            }
            precondition(picture.size == header?.size, "a picture is as large as its header says")
        }
    }
    if let small = try? JPEGShrinker(side: 64, limits: limits).shrink(bytes) {
        let size = try? decoder.header(of: small).size
        precondition(size.map { $0.width <= 64 && $0.height <= 64 } == true, "a small picture fits")
    }
    let frame = VideoFrame(sequence: 0, timestamp: .zero, size: header?.size, content: .jpeg(bytes))
    if let file = try? JPEGLadder(limit: 4_096, decoding: limits).compress(frame) {
        precondition(file.jpeg.count < 4_096, "a compressed frame is below its limit")
    }
}

/// A movie in a file; the first byte says of which kind.
func parseMovieFile(_ bytes: [UInt8]) {
    let kinds = ["avi", "mjpeg", "mov"]
    let path = "/dev/shm/lenssim-fuzz-\(getpid()).\(kinds[Int(bytes.first ?? 0) % kinds.count])"
    defer { unsafe unlink(path) }
    guard (try? Data(bytes.dropFirst()).write(to: URL(filePath: path))) != nil else {
        fatalError("cannot write \(path)")
    }
    var bounds = ImageInput.Limits()
    bounds.picture = limits
    bounds.entryCount = 50
    guard let input = try? ImageInput(path: path, limits: bounds) else { return }
    precondition((1...50).contains(input.count), "a list is bounded")
    guard let player = try? Player(input) else { return }
    for number in 0..<min(3, input.count) {
        guard let picture = player.picture(number) else { return }
        precondition(limits.allow(picture.size), "a picture within its bounds")
    }
}
