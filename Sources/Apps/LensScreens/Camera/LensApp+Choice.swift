internal import Lens
internal import Services

extension LensApp {
    /// Changes to a camera, or has the user set it up where that is needed first.
    @MainActor
    func chooseCamera(_ type: CameraSourceType, setUp: @MainActor () async -> Void) async throws(CameraError)
    {
        do throws(CameraError) { try await camera.switchTo(type) } catch {
            guard error.needsSetUp else { throw error }
            await setUp()
        }
    }
}
