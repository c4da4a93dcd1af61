import CV4L2
import JPEG
import Services
import TestSupport
import Testing

@testable import V4L2Camera

@Suite("Pictures of video devices")
struct PictureTests {
    /// One plane after the other.
    private struct Planes {
        var luma: [UInt8]
        var blue: [UInt8]
        var red: [UInt8]

        init(_ bytes: [UInt8], _ width: Int, _ height: Int) {
            let chroma = (width / 2) * ((height + 1) / 2)
            luma = Array(bytes[..<(width * height)])
            blue = Array(bytes[(width * height)..<(width * height + chroma)])
            red = Array(bytes[(width * height + chroma)...])
        }
    }

    private func planes(_ format: VideoFormat, _ bytes: [UInt8], _ size: PixelSize, stride: Int, full: Bool)
        throws -> Planes
    {
        let reader = PictureReader(format: format, size: size, stride: stride, hasFullRange: full)
        let content = unsafe bytes.withUnsafeBytes { unsafe reader.read($0) }
        guard case .pixels(let picture) = try #require(content) else { throw CancellationError() }
        #expect(picture.layout == .i420 && picture.size == size)
        return unsafe Planes(picture.withBytes { unsafe Array($0) }, size.width, size.height)
    }

    /// ITU-R BT.601, in floating point.
    private func luma(_ byte: UInt8, _ full: Bool) -> Double {
        full ? Double(byte) : min(255, max(0, (Double(byte) - 16) * 255 / 219))
    }

    private func chroma(_ byte: Double, _ full: Bool) -> Double {
        full ? byte : min(255, max(0, (byte - 128) * 255 / 224 + 128))
    }

    @Test(arguments: [2, 14, 16, 30, 32, 34, 62, 64, 66, 130], [false, true])
    func `YUYV becomes planes within one step of what BT.601 says, whatever the width`(width: Int, full: Bool)
        throws
    {
        var numbers = SeededGenerator(seed: UInt64(width))
        for height in [1, 2, 5] {
            let stride = 2 * width + 6
            let bytes = (0..<(stride * height)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let size = PixelSize(width: width, height: height)
            let planes = try planes(.yuyv, bytes, size, stride: stride, full: full)
            for y in 0..<height {
                for x in 0..<width {
                    let expected = luma(bytes[y * stride + 2 * x], full)
                    #expect(abs(Double(planes.luma[y * width + x]) - expected) <= 1)
                }
            }
            for y in 0..<((height + 1) / 2) {
                let (upper, lower) = (2 * y * stride, min(2 * y + 1, height - 1) * stride)
                for x in 0..<(width / 2) {
                    for (plane, place) in [(planes.blue, 1), (planes.red, 3)] {
                        let mean =
                            (Double(bytes[upper + 4 * x + place]) + Double(bytes[lower + 4 * x + place])) / 2
                        let value = Double(plane[y * (width / 2) + x])
                        // The mean is rounded first.
                        #expect(abs(value - chroma(mean, full)) <= 1.6, "\(x) \(y)")
                    }
                }
            }
        }
    }

    @Test(arguments: [2, 14, 30, 32, 66, 130], [false, true])
    func `NV12 becomes planes within one step of what BT.601 says`(width: Int, full: Bool) throws {
        var numbers = SeededGenerator(seed: UInt64(width))
        for height in [1, 2, 5] {
            let (stride, rows) = (width + 10, (height + 1) / 2)
            let bytes = (0..<(stride * (height + rows))).map { _ in UInt8.random(in: 0...255, using: &numbers)
            }
            let planes = try planes(
                .nv12,
                bytes,
                PixelSize(width: width, height: height),
                stride: stride,
                full: full
            )
            for y in 0..<height {
                for x in 0..<width {
                    #expect(abs(Double(planes.luma[y * width + x]) - luma(bytes[y * stride + x], full)) <= 1)
                }
            }
            for y in 0..<rows {
                for x in 0..<(width / 2) {
                    let place = (height + y) * stride + 2 * x
                    let (blue, red) = (planes.blue[y * (width / 2) + x], planes.red[y * (width / 2) + x])
                    #expect(abs(Double(blue) - chroma(Double(bytes[place]), full)) <= 1)
                    #expect(abs(Double(red) - chroma(Double(bytes[place + 1]), full)) <= 1)
                }
            }
        }
    }

    @Test(arguments: [VideoFormat.yuyv, .nv12])
    func `a picture that lacks its last byte is none`(format: VideoFormat) {
        let reader = PictureReader(format: format, size: PixelSize(width: 32, height: 5))
        for (missing, isThere) in [(0, true), (1, false), (reader.leastBytes, false)] {
            let bytes = [UInt8](repeating: 7, count: reader.leastBytes - missing)
            unsafe #expect(bytes.withUnsafeBytes { unsafe reader.read($0) != nil } == isThere)
        }
    }

    @Test func `rows that are shorter than a picture, far too long or of odd width are refused`() {
        let size = PixelSize(width: 32, height: 5)
        #expect(PictureReader(format: .yuyv, size: size, stride: 64).isPossible)
        #expect(!PictureReader(format: .yuyv, size: size, stride: 63).isPossible)
        #expect(!PictureReader(format: .nv12, size: size, stride: 31).isPossible)
        #expect(!PictureReader(format: .yuyv, size: size, stride: .max).isPossible)
        #expect(!PictureReader(format: .yuyv, size: PixelSize(width: 31, height: 5)).isPossible)
    }

    // MARK: JPEG

    private func file(in bytes: [UInt8]) -> [UInt8]? {
        unsafe bytes.withUnsafeBytes { unsafe JPEGExtent.file(in: $0) }
    }

    private func jpeg() throws -> [UInt8] {
        let picture = PixelBuffer(size: PixelSize(width: 48, height: 32), layout: .rgb)
        unsafe picture.withMutableBytes { bytes in
            for index in bytes.indices {
                unsafe bytes[index] = UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 9)
            }
        }
        return try JPEGEncoder().encode(picture, quality: 90)
    }

    @Test func `a JPEG file is taken without what an older picture has left behind it`() throws {
        let whole = try jpeg()
        #expect(file(in: whole) == whole)
        #expect(file(in: whole + whole.suffix(200)) == whole)
        #expect(file(in: whole + [UInt8](repeating: 0, count: 5000) + [0xFF, 0xD9]) == whole)
    }

    @Test func `a JPEG file that is cut anywhere is none`() throws {
        let whole = try jpeg()
        for count in 0..<whole.count { #expect(file(in: Array(whole[..<count])) == nil, "\(count)") }
    }

    @Test func `whatever the bytes are, a JPEG file is found within them or not`() throws {
        let whole = try jpeg()
        var numbers = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &numbers) {
                bytes[Int.random(in: bytes.indices, using: &numbers)] = .random(in: 0...255, using: &numbers)
            }
            if let file = file(in: bytes) {
                #expect(bytes.starts(with: file) && file.suffix(2) == [0xFF, 0xD9])
            }
        }
    }
}
