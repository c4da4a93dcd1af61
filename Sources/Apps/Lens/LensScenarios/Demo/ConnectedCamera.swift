import Services
import Synchronization
import V4L2Camera

/// A device that was connected before the simulation began, as the app inside sees it.
///
/// Inside nothing waits for the device: its newest frame is looked at, and each look is recorded. So a replay, which has no
/// device, takes the same steps. For the same reason it has no controls there, and is not seen to be lost: a device that has
/// gone has no frame any more.
struct ConnectedCamera: CameraSource {
    private final class Connection: Sendable {
        let states = CameraStates()
    }

    private let device: V4L2Camera
    private let connection = Connection()

    init(_ device: V4L2Camera) { self.device = device }

    /// Connects a device, and waits for a frame; `nil` for an input that is no path in `/dev`.
    ///
    /// - Throws: `V4L2Failure`, `CameraError`.
    static func device(at input: String?, size: PixelSize) async throws -> V4L2Camera? {
        guard let input, input.hasPrefix("/dev/") else { return nil }
        let device = V4L2Camera(path: input, options: .init(size: size))
        do { try await device.connect() } catch { throw device.lastFailure ?? error }
        guard await device.frames(limit: 1).next() != nil else {
            throw device.lastFailure ?? CameraError.sessionStartFailed
        }
        return device
    }

    var capabilities: CameraCapabilities { CameraCapabilities() }

    func connect() async throws(CameraError) {
        guard connection.states.state == .disconnected else { throw .sessionAlreadyRunning }
        connection.states.set(.connected)
    }

    func disconnect() async { connection.states.set(.disconnected) }

    func states() -> AsyncStream<CameraState> { connection.states.stream() }

    func latestFrame() async -> VideoFrame? {
        connection.states.state == .connected ? await device.latestFrame() : nil
    }

    func frames(limit: Int) -> any FrameStream { PolledFrames { await latestFrame() } }

    func apply(_ control: CameraControl) async throws(CameraError) { throw .configurationFailed }
}
