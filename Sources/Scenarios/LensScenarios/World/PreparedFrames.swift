import FakeCamera
import JPEG
public import Services

/// A short loop of JPEG files, for long simulations in which the making of pictures does not matter.
public enum PreparedFrames {
    /// Makes the loop: always the same files for the same size.
    ///
    /// - Throws: `JPEGError`.
    public static func make(size: PixelSize, count: Int = 16) throws -> [[UInt8]] {
        let camera = FakeCamera(FakeCamera.Configuration(size: size, framesPerSecond: 5, seed: 1))
        let ladder = try JPEGLadder()
        return try (0..<count).map { number in try ladder.compress(camera.frame(number)).jpeg }
    }
}
