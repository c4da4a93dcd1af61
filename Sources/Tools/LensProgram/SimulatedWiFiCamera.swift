import LensScenarios
import PPPP
import Transport
import VeepaCameraSimulator

/// The Wi-Fi camera that `lens` simulates, so that one can be tried without one.
enum SimulatedWiFiCamera {
    /// What new cameras of this kind have.
    static let password = "888888"
    private static let id = "VSTK-123456-ABCDE"

    /// Gives the camera power, on a free port of this machine.
    static func start(on network: some DatagramNetwork) async throws -> RunningVeepaCamera {
        guard let id = DeviceID(id) else { preconditionFailure("the ID of the simulated camera is none") }
        var settings = VeepaCameraSettings(id: id, password: password)
        settings.sessionPort = .same
        let pictures = try CameraPictures()
        let simulator = VeepaCameraSimulator(settings) { pictures.jpeg($0) }
        return try await simulator.start(on: network, at: SocketAddress(host: "127.0.0.1", port: 0))
    }
}
