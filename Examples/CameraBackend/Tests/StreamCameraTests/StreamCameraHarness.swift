import CameraSourceConformance
import Conformance
import LiveTransport
import Services
import SimulatedTransport
import StreamCamera
import Transport

/// The camera over a simulated network.
///
/// - Precondition: In a simulation.
struct SimulatedHarness: CameraSourceHarness {
    let form: ScriptedStream.Form
    let capabilities: Set<HarnessCapability> = [.absent, .denied, .hanging, .loss, .openCount]
    let secrets = [ScriptedStream.login, "sesame-7"]

    func makeCamera(_ device: CameraDevice) async throws -> StagedCamera {
        let server = ScriptedStream(form, answersAfter: device == .hanging ? .seconds(3) : .zero)
        let network = SimulatedNetwork()
        let host = network.host("camera")
        if device != .absent {
            _ = try await host.listen(server, at: SocketAddress(host: "camera", port: 81))
        }
        let login = device == .denied ? "admin:guess" : ScriptedStream.login
        let address = StreamAddress(authority: "camera:81", login: Secret(login))
        return StagedCamera(StreamCamera(client: network.host("phone"), address: address), server)
    }

    func lose(_ camera: StagedCamera) { camera.server.setPower(false) }
    func giveBack(_ camera: StagedCamera) { camera.server.setPower(true) }
    func openCount(of camera: StagedCamera) -> Int { camera.server.openCount }
}

/// The camera over real sockets of this machine.
struct LoopbackHarness: CameraSourceHarness {
    let form: ScriptedStream.Form
    let capabilities: Set<HarnessCapability> = [.absent, .denied, .hanging, .loss, .openCount]
    let secrets = [ScriptedStream.login, "sesame-7"]

    func makeCamera(_ device: CameraDevice) async throws -> StagedCamera {
        let server = ScriptedStream(form, answersAfter: device == .hanging ? .seconds(3) : .zero)
        let listener = try await LoopbackHost().listen(server, at: .loopback())
        let transport = try LiveTransport()
        let login = device == .denied ? "admin:guess" : ScriptedStream.login
        let address = StreamAddress(authority: "\(listener.address)", login: Secret(login))
        if device == .absent { await listener.stop() }
        return StagedCamera(StreamCamera(client: transport, address: address), server) {
            await transport.shutdown()
            await listener.stop()
        }
    }

    func lose(_ camera: StagedCamera) { camera.server.setPower(false) }
    func giveBack(_ camera: StagedCamera) { camera.server.setPower(true) }
    func openCount(of camera: StagedCamera) -> Int { camera.server.openCount }
    func takeDown(_ camera: StagedCamera) async { await camera.end() }
}

/// The camera with the server that it asks.
final class StagedCamera: CameraSource {
    let server: ScriptedStream
    let end: @Sendable () async -> Void
    private let camera: StreamCamera

    init(_ camera: StreamCamera, _ server: ScriptedStream, end: @escaping @Sendable () async -> Void = {}) {
        (self.camera, self.server, self.end) = (camera, server, end)
    }

    var capabilities: CameraCapabilities { camera.capabilities }
    func connect() async throws(CameraError) { try await camera.connect() }
    func disconnect() async { await camera.disconnect() }
    func states() -> AsyncStream<CameraState> { camera.states() }
    func latestFrame() async -> VideoFrame? { await camera.latestFrame() }
    func frames(limit: Int) -> any FrameStream { camera.frames(limit: limit) }
    func apply(_ control: CameraControl) async throws(CameraError) { try await camera.apply(control) }
}
