import ArgumentParser
import CameraSourceConformance
import CommandKit
import Conformance
import LiveTransport
import PPPP
import Services
import Transport
import V4L2Camera
import VeepaCamera

extension ValidateCommand {
    /// Runs the suite on a video device, or on the Wi-Fi camera at an address.
    func camera(over transport: LiveTransport) async throws -> ConformanceReport {
        guard let endpoint, !endpoint.hasPrefix("/") else {
            do {
                let path = try await CameraChoice.describe(endpoint).path
                return await CameraSourceConformance.suite.report(on: VideoDeviceHarness(path: path))
            } catch  where Exit.code(for: error) == Exit.inputMissing { throw CaseSkipped("\(error)") }
        }
        let parts = endpoint.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let port = parts.count == 2 ? Int(parts[1]) : VeepaOptions.searchPort
        guard let address = IPAddress(parts[0]), let port, parts.count < 3 else {
            throw ValidationError(
                "--endpoint wants a device such as /dev/video0, or an address such as 192.168.1.20."
            )
        }
        guard let id = deviceID.flatMap({ DeviceID($0) }) else {
            throw ValidationError("A Wi-Fi camera needs --device-id, such as VSTK-123456-ABCDE.")
        }
        let harness = WirelessCameraHarness(
            transport: transport,
            address: Endpoint(address, port: port),
            credentials: VeepaCredentials(id: id, user: user, password: try key()),
            capabilities: try capabilities([.denied])
        )
        return await CameraSourceConformance.suite.report(on: harness)
    }
}

/// A camera of this machine.
private struct VideoDeviceHarness: CameraSourceHarness {
    let path: String

    func makeCamera(_ device: CameraDevice) -> V4L2Camera { V4L2Camera(path: path) }
}

/// A Wi-Fi camera that is there.
private struct WirelessCameraHarness: CameraSourceHarness {
    let transport: LiveTransport
    let address: Endpoint
    let credentials: VeepaCredentials
    let capabilities: Set<HarnessCapability>
    let patience = Duration.seconds(60)
    var secrets: [String] { [credentials.password.reveal()] }

    func makeCamera(_ device: CameraDevice) -> VeepaCamera {
        var options = VeepaOptions()
        options.searchTargets = [address]
        options.framesKept = 256
        var known = credentials
        if device == .denied { known.password = Secret("no-word-of-anybody") }
        let credentials = known
        return VeepaCamera(network: transport, options: options) { credentials }
    }

    func isRight(_ error: CameraError, for trouble: CameraTrouble) -> Bool {
        error.veepa?.code == .authenticationRejected
    }
}
