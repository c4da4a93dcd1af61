import FakeCamera
import Services

/// A camera whose connecting takes long now and then, whether or not it is cancelled, as that of a driver that hangs.
final class HangingCamera: CameraSource {
    private let base: FakeCamera

    init(_ base: FakeCamera) { self.base = base }

    var capabilities: CameraCapabilities { base.capabilities }

    func connect() async throws(CameraError) {
        if Int.random(in: 0..<4) == 0 {
            let hanging = Task { try? await Task.sleep(for: .seconds(Int.random(in: 1...40))) }
            _ = await hanging.value
        }
        try await base.connect()
    }

    func disconnect() async { await base.disconnect() }

    func states() -> AsyncStream<CameraState> { base.states() }

    func latestFrame() async -> VideoFrame? { await base.latestFrame() }

    func frames(limit: Int) -> any FrameStream { base.frames(limit: limit) }

    func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }
}
