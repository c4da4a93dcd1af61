import Services

/// A camera with what stands behind it, which stays as long as the camera.
final class StagedCamera<Camera: CameraSource, Stage: Sendable>: CameraSource {
    let camera: Camera
    let stage: Stage

    init(_ camera: Camera, _ stage: Stage) { (self.camera, self.stage) = (camera, stage) }

    var capabilities: CameraCapabilities { camera.capabilities }
    func connect() async throws(CameraError) { try await camera.connect() }
    func disconnect() async { await camera.disconnect() }
    func states() -> AsyncStream<CameraState> { camera.states() }
    func latestFrame() async -> VideoFrame? { await camera.latestFrame() }
    func frames(limit: Int) -> any FrameStream { camera.frames(limit: limit) }
    func apply(_ control: CameraControl) async throws(CameraError) { try await camera.apply(control) }
}
