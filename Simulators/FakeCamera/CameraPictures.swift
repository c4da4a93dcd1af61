public import JPEG
import Services
import Synchronization

/// What a simulated Wi-Fi camera shows over real sockets: the front of a house in 640×480 with the number of each picture in it.
public final class CameraPictures: Sendable {
    private struct State {
        var encoder: JPEGEncoder
        var latest: (number: Int, jpeg: [UInt8])?
    }

    private let camera = FakeCamera(
        FakeCamera.Configuration(
            size: PixelSize(width: 640, height: 480),
            framesPerSecond: 10,
            scene: .frontDoor
        )
    )
    private let state: Mutex<State>
    /// Good enough that numbers in the pictures are read, and about 25 kB.
    private static let quality = 70

    /// Begins with nothing encoded.
    public init() throws(JPEGError) { state = Mutex(State(encoder: try JPEGEncoder())) }

    /// One picture, encoded once for all clients.
    public func jpeg(_ number: Int) -> [UInt8] {
        state.withLock { state in
            if let latest = state.latest, latest.number == number { return latest.jpeg }
            guard case .pixels(let pixels) = camera.frame(number).content,
                let jpeg = try? state.encoder.encode(pixels, quality: Self.quality)
            else { return state.latest?.jpeg ?? [] }
            state.latest = (number, jpeg)
            return jpeg
        }
    }
}
