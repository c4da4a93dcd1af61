import CommandKit
import FakeCamera
import PPPP
import PeerKit
import Transport
import VeepaCameraSimulator

/// The simulated Wi-Fi camera that `lenssim serve camera` has started.
struct HostedCamera {
    private let settings: VeepaCameraSettings
    private let running: RunningVeepaCamera
    /// What leads to a camera that only a relay reaches.
    private let directory: RunningVeepaDirectory?

    /// Starts a camera, and returns once it can be found.
    ///
    /// - Parameter relay: Whether only a relay reaches it, which is started with a directory server.
    /// - Throws: `addressUnavailable`, ``RefusedFaults``, `JPEGError`.
    static func start(
        _ framing: CommandFraming,
        password: String?,
        faults: ServiceFaults?,
        relay: Bool = false,
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
        guard relay else {
            let running = try await simulator.start(on: sockets, at: address)
            return HostedCamera(settings: settings, running: running, directory: nil)
        }
        let directory = try await VeepaDirectory(key: framing.servedKey)
            .start(on: sockets, at: SocketAddress(host: address.host, port: 0))
        simulator.reconfigure {
            $0.directories = [directory.address]
            $0.needsRelay = true
        }
        do {
            let running = try await simulator.start(on: sockets, at: address)
            return HostedCamera(settings: settings, running: running, directory: directory)
        } catch {
            await directory.stop()
            throw error
        }
    }

    var facts: [ServedFacts.Fact] {
        [
            .init(label: "device ID", key: "deviceID", value: "\(settings.id)"),
            .init(label: "user", key: "user", value: settings.user),
            .init(label: "password", key: "password", value: settings.password),
            .init(label: "dialect", key: "dialect", value: settings.framing.rawValue),
            .init(label: "UDP port", key: "port", value: "\(running.address.port)", isNumber: true),
        ] + relayFacts
    }

    private var relayFacts: [ServedFacts.Fact] {
        guard let directory else { return [] }
        let service = ServiceParameter(servers: [directory.address.address], key: settings.framing.servedKey)
        return [
            .init(label: "service parameter", key: "directory", value: "\(service)"),
            .init(
                label: "directory's UDP port",
                key: "directoryPort",
                value: "\(directory.address.port)",
                isNumber: true
            ),
        ]
    }

    var address: Endpoint { running.address }

    func stop() async {
        await running.stop()
        await directory?.stop()
    }
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

    /// The key of the packets of that product line; `nil` where they are clear.
    fileprivate var servedKey: String? {
        switch self {
        case .cgi: "vstarcam2019"
        case .json: "camera"
        case .binary: nil
        }
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
