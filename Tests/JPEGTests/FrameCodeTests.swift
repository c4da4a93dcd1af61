import FakeCamera
import JPEG
import Services
import Testing

@Suite("Frame code")
struct FrameCodeTests {
    private static let sizes = [
        FrameCode.minimumSize, PixelSize(width: 320, height: 180), PixelSize(width: 333, height: 251),
        PixelSize(width: 640, height: 480), PixelSize(width: 180, height: 320),
    ]

    @Test("a code is read from the picture it was burned into, in both layouts", arguments: sizes)
    func plain(size: PixelSize) throws {
        for layout in [PixelBuffer.Layout.i420, .rgb] {
            let camera = FakeCamera(.init(size: size, framesPerSecond: 7, layout: layout))
            for number in [0, 1, 77, 0xFFFF_FFFF] {
                let frame = camera.frame(number)
                let code = try #require(FrameCode.read(from: frame.pixels))
                #expect(code == FrameCode(sequence: number, captureTime: frame.timestamp))
                #expect(code.sequence == frame.sequence)
            }
        }
    }

    @Test("a code survives JPEG at the lowest quality over every scene", arguments: sizes, [80, 10])
    func compressed(size: PixelSize, quality: Int) throws {
        let still = FakeCamera(.init(size: size, seed: 9)).frame(5).pixels
        let encoder = try JPEGEncoder()
        let decoder = try JPEGDecoder()
        for scene in [FakeCamera.Scene.shapes(detail: 1), .shapes(detail: 0), .noise, .still(still)] {
            let camera = FakeCamera(.init(size: size, scene: scene, seed: 3))
            for number in stride(from: 0, to: 3_000, by: 271) {
                let frame = camera.frame(number)
                let file = try encoder.encode(frame.pixels, quality: quality)
                for layout in [PixelBuffer.Layout.i420, .rgb] {
                    let code = FrameCode.read(from: try decoder.decode(file, layout: layout))
                    #expect(code == FrameCode(sequence: number, captureTime: frame.timestamp))
                }
            }
        }
    }

    @Test(
        "a code survives the ladder's downscaling, down to cells of four pixels",
        arguments: [2_500, 4_000, 8_000]
    )
    func downscaled(limit: Int) throws {
        let camera = FakeCamera(.init(size: PixelSize(width: 640, height: 360), scene: .noise))
        let ladder = try JPEGLadder(limit: limit)
        let decoder = try JPEGDecoder()
        for number in 0..<20 {
            let result = try ladder.compress(camera.frame(number))
            #expect(result.downscales > 0)
            #expect(result.size.width >= 26 * 4)
            #expect(FrameCode.read(from: try decoder.decode(result.jpeg))?.sequence == number)
        }
    }

    @Test("pictures without a code, or with a damaged one, give none")
    func absent() {
        #expect(FrameCode.read(from: Pictures.gradient(320, 180)) == nil)
        #expect(FrameCode.read(from: Pictures.gradient(20, 10)) == nil)
        #expect(FrameCode.read(from: Pictures.gradient(320, 180, .i420, grain: 120)) == nil)
        let damaged = FakeCamera(.init(layout: .rgb)).frame(9).pixels
        unsafe damaged.withMutableBytes { bytes in
            // One cell turned white: row 1, columns 12 to 24.
            for y in 13..<23 {
                for x in 148..<159 {
                    for channel in 0..<3 { unsafe bytes[3 * (y * 320 + x) + channel] ^= 0xFF }
                }
            }
        }
        #expect(FrameCode.read(from: damaged) == nil)
    }
}

extension VideoFrame {
    /// The pixels of a frame that has them.
    var pixels: PixelBuffer {
        guard case .pixels(let picture) = content else { preconditionFailure("the frame is a JPEG file") }
        return picture
    }
}
