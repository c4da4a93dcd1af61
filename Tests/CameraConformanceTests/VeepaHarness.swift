import CameraSourceConformance
import Conformance
import PPPP
import PeerKit
import Services
import SimulatedTransport
import TestSupport
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// Wi-Fi cameras of one dialect, on a network.
struct VeepaHarness: CameraSourceHarness {
    /// Where a camera and its client are.
    struct Place: Sendable {
        var camera: any DatagramNetwork
        var client: any DatagramNetwork
        /// Where the camera waits for searches; port 0 for any, which it keeps.
        var address = SocketAddress(host: "0.0.0.0", port: 32_108)
        /// Options of a client whose camera is running there.
        var options: @Sendable (RunningVeepaCamera) -> VeepaOptions = { _ in VeepaOptions() }

        /// - Precondition: In a simulation.
        static func simulated() -> Place {
            let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(4))))
            return Place(camera: network.host("camera"), client: network.host("phone"))
        }
    }

    /// A simulated camera that can be turned off and on.
    final class Stage: Sendable {
        let simulator: VeepaCameraSimulator
        private let place: Place
        private let running = Box<RunningVeepaCamera?>(nil)

        init(_ simulator: VeepaCameraSimulator, _ place: Place) {
            (self.simulator, self.place) = (simulator, place)
        }

        @discardableResult
        func turnOn() async throws -> RunningVeepaCamera {
            var address = place.address
            if let former = running.value { address.port = Int(former.address.port) }
            let camera = try await simulator.start(on: place.camera, at: address)
            running.set(camera)
            return camera
        }

        func turnOff() async { await running.value?.stop() }
    }

    typealias Camera = StagedCamera<VeepaCamera, Stage>

    var framing = CommandFraming.cgi
    var place: @Sendable () throws -> Place = { .simulated() }

    let capabilities: Set<HarnessCapability> = [.absent, .denied, .hanging, .loss, .recovery, .openCount]
    let secrets = ["pass&word=1", "not-the-word"]
    let patience: Duration = .seconds(60)

    private static let id = ["VSTK-123456-ABCDE"].compactMap { DeviceID($0) }[0]

    func makeCamera(_ device: CameraDevice) async throws -> Camera {
        var settings = VeepaCameraSettings(id: Self.id, password: "pass&word=1")
        settings.framing = framing
        if framing == .json { settings.cipher = PacketCipher(key: "camera") }
        settings.framesPerSecond = 25
        let simulator = VeepaCameraSimulator(settings) { Pictures.files[$0 % Pictures.files.count] }
        if device == .hanging { try simulator.faults.arm("veepa.ready.mute") }
        let place = try place()
        let stage = Stage(simulator, place)
        var options = place.options(try await stage.turnOn())
        options.framing = framing
        if device == .absent { await stage.turnOff() }
        let credentials = VeepaCredentials(
            id: Self.id,
            user: "admin",
            password: Secret(device == .denied ? "not-the-word" : settings.password)
        )
        return Camera(VeepaCamera(network: place.client, options: options) { credentials }, stage)
    }

    func lose(_ camera: Camera) async throws { await camera.stage.turnOff() }
    func giveBack(_ camera: Camera) async throws { try await camera.stage.turnOn() }
    func openCount(of camera: Camera) -> Int { camera.stage.simulator.record.openSessions }
    func takeDown(_ camera: Camera) async { await camera.stage.turnOff() }

    func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool {
        switch trouble {
        case .absent: error.veepa?.code == .notFound
        case .denied: error.veepa?.code == .authenticationRejected
        case .loss: error.veepa?.code == .linkLost
        }
    }
}
