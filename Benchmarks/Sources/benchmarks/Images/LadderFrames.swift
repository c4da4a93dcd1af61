import FakeCamera
import JPEG
import Services

/// The JPEG ladder on the fake camera's moving scene, beside TurboJPEG's one encode of the same frames at the quality
/// that the ladder chose: what an oracle would cost.
enum LadderFrames {
    private struct Scene: Sendable {
        var name: String
        var size: PixelSize
        var detail: Double
        /// Pictures that differ; each round compresses all of them.
        var frames: Int
    }

    private static let scenes = [(320, 180, 240), (1_280, 720, 24), (1_920, 1_080, 12)].flatMap {
        width,
        height,
        frames in
        [("smooth", 0.2), ("rough", 0.8)].map { name, detail in
            Scene(
                name: "\(width)x\(height).\(name)",
                size: PixelSize(width: width, height: height),
                detail: detail,
                frames: frames
            )
        }
    }

    static let benchmark = Benchmark(
        name: "ladder",
        summary: "JPEG files a second below 200 KB, beside one bare TurboJPEG encode of the same frames"
    ) { options in
        var findings: [Finding] = []
        for scene in scenes { findings += try await measure(scene, rounds: options.rounds ?? 5) }
        return findings
    }

    private static func measure(_ scene: Scene, rounds: Int) async throws -> [Finding] {
        let camera = FakeCamera(
            FakeCamera.Configuration(
                size: scene.size,
                framesPerSecond: 5,
                scene: .shapes(detail: scene.detail)
            )
        )
        // Drawn beforehand: the camera is not what is measured.
        let frames = (0..<scene.frames).map { camera.frame($0) }
        let ladder = try JPEGLadder()
        let bare = try BareTurboJPEG()
        let qualities = try frames.map { frame in
            guard let quality = try ladder.compress(frame).quality else { throw PassedThrough() }
            return quality
        }
        let (ours, theirs) = try await alternate(rounds: rounds) {
            let (_, elapsed) = try Elapsed.of { for frame in frames { _ = try ladder.compress(frame) } }
            return Double(frames.count) / elapsed.thread
        } _: {
            let (_, elapsed) = try Elapsed.of {
                for (frame, quality) in zip(frames, qualities) {
                    guard case .pixels(let picture) = frame.content else { throw PassedThrough() }
                    try bare.encode(picture, quality: quality)
                }
            }
            return Double(frames.count) / elapsed.thread
        }
        let id = "ladder.\(scene.name)"
        return [
            Finding("\(id).ladder", "frames/s", ours),
            Finding("\(id).turbojpeg", "frames/s", theirs),
            Finding("\(id).ratio", "×", ours.divided(by: theirs)),
            Finding("\(id).encodes", "encodes/frame", Samples([ladder.statistics.encodesPerFrame])),
            Finding(
                "\(id).quality",
                "mean quality",
                Samples([Double(qualities.reduce(0, +)) / Double(frames.count)])
            ),
        ]
    }

    /// The ladder did not encode a frame that came as pixels.
    private struct PassedThrough: Error {}
}
