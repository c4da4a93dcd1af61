import LensScenarios
import PPPP
import PeerKit
import Transport
import VeepaCameraSimulator

/// The simulated Wi-Fi camera that `lenssim serve camera` has started.
struct HostedCamera {
    private let settings: VeepaCameraSettings
    private let running: RunningVeepaCamera

    /// Starts a camera, and returns once it can be found.
    ///
    /// - Throws: `addressUnavailable`, ``RefusedFaults``, `JPEGError`.
    static func start(
        _ framing: CommandFraming,
        password: String?,
        faults: ServiceFaultFile?,
        on sockets: some DatagramNetwork,
        at address: SocketAddress
    ) async throws -> HostedCamera {
        var settings = VeepaCameraSettings(id: framing.servedID, password: password ?? framing.usualPassword)
        settings.framing = framing
        // One port is easier to forward and to type.
        settings.sessionPort = .same
        settings.networks = [
            .init(name: "Home", password: "home-password"),
            .init(name: "Guests", password: "", security: 0, channel: 11),
        ]
        let pictures = try CameraPictures()
        let simulator = VeepaCameraSimulator(settings) { pictures.jpeg($0) }
        try faults?.arm(simulator.faults)
        return HostedCamera(settings: settings, running: try await simulator.start(on: sockets, at: address))
    }

    var facts: [ServedFacts.Fact] {
        [
            .init(label: "device ID", key: "deviceID", value: "\(settings.id)"),
            .init(label: "user", key: "user", value: settings.user),
            .init(label: "password", key: "password", value: settings.password),
            .init(label: "dialect", key: "dialect", value: settings.framing.rawValue),
            .init(label: "UDP port", key: "port", value: "\(running.address.port)", isNumber: true),
        ]
    }

    var address: Endpoint { running.address }

    func stop() async { await running.stop() }
}

extension CommandFraming {
    /// A camera of a product line that speaks this.
    fileprivate var servedID: DeviceID {
        let text =
            switch self {
            case .cgi: "VSTK-123456-ABCDE"
            case .json: "DGOK-123456-ABCDE"
            case .binary: "BATC-123456-ABCDE"
            }
        guard let id = DeviceID(text) else { preconditionFailure("\(text) is an ID") }
        return id
    }

    /// What cameras of this kind have before their owner changes it.
    fileprivate var usualPassword: String {
        switch self {
        case .cgi: "888888"
        case .json: "6666"
        case .binary: "admin"
        }
    }
}
