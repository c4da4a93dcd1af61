import FakeCamera
import Services

/// The photos of a simulated device: what its camera has seen of a room, and of the front of a house.
struct SimulatedLibrary: Sendable {
    private static let size = PixelSize(width: 1_280, height: 960)
    private static let quality = 90
    /// The scenes, with the numbers of the pictures that were kept.
    private static let kept: [(FakeCamera.Scene, Int)] = [
        (.room, 0), (.frontDoor, 0), (.room, 450), (.frontDoor, 900), (.room, 1_350), (.frontDoor, 1_800),
    ]

    /// JPEG files, the newest first.
    let photos: [[UInt8]]

    /// Draws the photos.
    init() {
        photos = Self.kept.compactMap { scene, number in
            let camera = FakeCamera(
                FakeCamera.Configuration(
                    size: Self.size,
                    scene: scene,
                    format: .jpeg(quality: Self.quality)
                )
            )
            guard case .jpeg(let file) = camera.frame(number).content else { return nil }
            return file
        }
    }
}
