internal import Lens
internal import Services

extension LensApp {
    /// Changes to a camera, or has the user set it up where that is needed first; the present one goes on meanwhile.
    @MainActor
    func chooseCamera(_ type: CameraSourceType, setUp: @MainActor () async -> Void) async throws(CameraError)
    {
        if type == .veepaWiFi, await networkCamera?.needsSetUp() != nil { return await setUp() }
        try await camera.switchTo(type)
    }
}
