import Lens
import Services
import Testing

@Suite("JPEG frame encoder")
struct JPEGFrameEncoderTests {
    private static func frame(_ content: VideoFrame.Content) -> VideoFrame {
        VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: content)
    }

    /// A picture of noise, which compresses worst of all; the same for every call.
    private static func noise(_ size: PixelSize) -> PixelBuffer {
        let buffer = PixelBuffer(size: size, layout: .rgb)
        var state: UInt64 = 1
        unsafe buffer.withMutableBytes { bytes in
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                unsafe bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
            }
        }
        return buffer
    }

    @Test("the worst picture is still a whole JPEG file below the limit, and the same each time")
    func noise() async throws {
        let encoder = try JPEGFrameEncoder()
        let frame = Self.frame(.pixels(Self.noise(PixelSize(width: 1_280, height: 720))))
        let jpeg = try await encoder.encode(frame)
        #expect(jpeg.count < 204_800)
        #expect(Array(jpeg.prefix(2)) == [0xFF, 0xD8] && Array(jpeg.suffix(2)) == [0xFF, 0xD9])
        #expect(try await encoder.encode(frame) == jpeg)
    }

    @Test(
        "what is no JPEG is an error, and the next picture is encoded",
        arguments: [[], [1, 2, 3]] as [[UInt8]]
    )
    func garbage(bytes: [UInt8]) async throws {
        let encoder = try JPEGFrameEncoder()
        await #expect(throws: (any Error).self) { try await encoder.encode(Self.frame(.jpeg(bytes))) }
        let next = Self.frame(.pixels(Self.noise(PixelSize(width: 64, height: 48))))
        #expect(try await !encoder.encode(next).isEmpty)
    }
}
