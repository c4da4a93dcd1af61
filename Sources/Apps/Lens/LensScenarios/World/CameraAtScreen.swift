import AppKernel
internal import Concurrency
public import Lens
import PNG
import Services
public import UnpairedVeepaCamera

/// A new camera that is held before the screen of the app: it sees the codes that are shown there.
///
/// **Models.** Each code for as long as the screen shows it, as the picture that a page loads. **Does not model.** Whether anybody looks at
/// the page, distance and glare.
public struct CameraAtScreen: Sendable {
    private let camera: UnpairedVeepaCamera

    /// Holds a camera.
    public init(_ camera: UnpairedVeepaCamera) { self.camera = camera }

    /// Looks at the screen until the task is cancelled.
    public func look(at setup: CameraSetup) async {
        for await shown in setup.state.values() {
            var number = 0
            // The states that came while codes were looked at are over.
            while !Task.isCancelled, setup.state.value.codesNumber == shown.codesNumber,
                setup.state.value.codes > 0
            {
                await see(number % setup.state.value.codes, of: setup, as: number)
                number += 1
                try? await Task.sleep(for: .milliseconds(max(shown.codeMilliseconds, 100)))
            }
        }
    }

    private func see(_ code: Int, of setup: CameraSetup, as number: Int) async {
        guard let file = await setup.codePNG(code, moduleSide: 4),
            let picture = try? PNGDecoder.decode(file)
        else { return }
        await camera.look(
            at: VideoFrame(sequence: number, timestamp: .zero, size: picture.size, content: .pixels(picture))
        )
    }
}
