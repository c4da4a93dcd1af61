import FakeCamera
import GeminiServer
import GeminiSight
import JPEG
public import Services
import Synchronization

/// A short loop of JPEG files, for simulations in which the making of pictures does not matter.
///
/// Its files hold the same bytes whenever and wherever they are made, and what a model's server reads in them is
/// known beforehand. So worlds that run one after the other, or side by side, share one loop: no run can tell.
public struct PreparedFrames: Sendable {
    /// The files, in the order in which a camera shows them.
    public let files: [[UInt8]]
    /// What a decoder says of each file.
    let inspections: [FrameInspection]

    /// The loop that was made last; only one is kept, since a process asks for one size.
    private static let latest = Mutex<(size: PixelSize, count: Int, frames: PreparedFrames)?>(nil)

    /// Returns the loop of that size and length.
    ///
    /// - Throws: `JPEGError`.
    public static func make(size: PixelSize, count: Int = 16) throws -> PreparedFrames {
        let made = latest.withLock { $0 }
        if let made, made.size == size, made.count == count { return made.frames }
        // Not under the lock: no simulation ever waits for another one's pictures, and both make the same.
        let frames = try PreparedFrames(size: size, count: count)
        latest.withLock { $0 = (size, count, frames) }
        return frames
    }

    private init(size: PixelSize, count: Int) throws {
        let camera = FakeCamera(FakeCamera.Configuration(size: size, framesPerSecond: 5, seed: 1))
        let ladder = try JPEGLadder()
        files = try (0..<count).map { number in try ladder.compress(camera.frame(number)).jpeg }
        let inspector = FrameInspector()
        inspections = try files.map(inspector.inspect)
    }

    /// What is known of a file; `nil` when it is none of these.
    func inspection(of jpeg: [UInt8]) -> FrameInspection? {
        files.firstIndex(of: jpeg).map { inspections[$0] }
    }
}
