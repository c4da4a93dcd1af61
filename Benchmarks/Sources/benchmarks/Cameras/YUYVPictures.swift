import CV4L2
import CYUYVLoop
import FakeCamera
import JPEG
import Services

/// Pictures of a camera as YUYV that become JPEG files below 200 KB, beside a loop in C over TurboJPEG.
///
/// Ours is what `V4L2Camera` and the ladder do with a driver's buffer: a picture of a pool, with the range of its numbers expanded, and as many encodes
/// as the search for a quality takes. The loop in C expands them too, and is told the quality that the ladder chose: one encode.
enum YUYVPictures {
    private static let size = PixelSize(width: 1280, height: 720)
    private static let frames = 24

    private struct Failed: Error { var text: String }

    static let benchmark = Benchmark(
        name: "jpeg.yuyv",
        summary:
            "YUYV 1280×720 to JPEG below 200 KB, beside a loop in C over TurboJPEG that knows the quality"
    ) { options in
        var findings: [Finding] = []
        for (name, detail) in [("smooth", 0.2), ("rough", 0.8)] {
            findings += try await measure(name, detail, rounds: options.rounds ?? 9)
        }
        return findings
    }

    private static func measure(_ name: String, _ detail: Double, rounds: Int) async throws -> [Finding] {
        let camera = FakeCamera(
            FakeCamera.Configuration(size: size, framesPerSecond: 5, scene: .shapes(detail: detail))
        )
        let pictures = try (0..<frames).map { try yuyv(camera.frame($0)) }
        let pool = PixelBufferPool(size: size, layout: .i420, capacity: 12)
        let ladder = try JPEGLadder()
        func compress(_ picture: [UInt8], _ number: Int) throws -> CompressedFrame {
            // As `PictureReader` reads a driver's buffer.
            let planar = unsafe pool.makeBuffer { target in
                let target = unsafe target.assumingMemoryBound(to: UInt8.self)
                guard let to = target.baseAddress else { return }
                unsafe picture.withUnsafeBufferPointer { source in
                    guard let from = source.baseAddress else { return }
                    unsafe cv4l2_yuyv_to_i420(from, 2 * size.width, to, size.width, size.height, 1)
                }
            }
            return try ladder.compress(
                VideoFrame(sequence: number, timestamp: .zero, size: size, content: .pixels(planar))
            )
        }
        let qualities = try pictures.enumerated().map { number, picture in
            guard let quality = try compress(picture, number).quality else {
                throw Failed(text: "no quality")
            }
            return quality
        }
        guard let loop = unsafe yuyv_loop_make(size.width, size.height) else {
            throw Failed(text: "no memory")
        }
        defer { unsafe yuyv_loop_free(loop) }
        let (ours, theirs) = try await alternate(rounds: rounds) {
            let (_, elapsed) = try Elapsed.of {
                for (number, picture) in pictures.enumerated() { _ = try compress(picture, number) }
            }
            return Double(frames) / elapsed.thread
        } _: {
            let (_, elapsed) = try Elapsed.of {
                for (picture, quality) in zip(pictures, qualities) {
                    let count = unsafe picture.withUnsafeBufferPointer {
                        unsafe yuyv_loop_encode(loop, $0.baseAddress, Int32(quality))
                    }
                    guard count > 0 else { throw Failed(text: "no file") }
                }
            }
            return Double(frames) / elapsed.thread
        }
        let id = "jpeg.yuyv.\(name)"
        return [
            Finding("\(id).ours", "frames/core s", ours),
            Finding("\(id).c", "frames/core s", theirs),
            Finding("\(id).ratio", "×", ours.divided(by: theirs)),
            Finding("\(id).encodes", "encodes/frame", Samples([ladder.statistics.encodesPerFrame])),
        ]
    }

    /// A drawn picture as a camera's YUYV, in the limited range of BT.601.
    private static func yuyv(_ frame: VideoFrame) throws -> [UInt8] {
        guard case .pixels(let picture) = frame.content, picture.layout == .i420 else {
            throw Failed(text: "the scene is not drawn as I420")
        }
        let (width, half) = (size.width, size.width / 2)
        return unsafe picture.withBytes { bytes in
            let (cb, cr) = (width * size.height, width * size.height * 5 / 4)
            func luma(_ index: Int) -> UInt8 { unsafe UInt8(16 + Int(bytes[index]) * 219 / 255) }
            func chroma(_ index: Int) -> UInt8 { unsafe UInt8(128 + (Int(bytes[index]) - 128) * 224 / 255) }
            var packed: [UInt8] = []
            packed.reserveCapacity(2 * width * size.height)
            for row in 0..<size.height {
                for pair in 0..<half {
                    let (left, colour) = (row * width + 2 * pair, row / 2 * half + pair)
                    packed += [luma(left), chroma(cb + colour), luma(left + 1), chroma(cr + colour)]
                }
            }
            return packed
        }
    }
}
