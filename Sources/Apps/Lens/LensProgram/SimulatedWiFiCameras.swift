import Concurrency
import FakeCamera
import Lens
import LensScenarios
import PPPP
import QRCode
import Services
import Synchronization
import Transport
import UnpairedVeepaCamera
import VeepaCameraSimulator

/// The Wi-Fi cameras that `lens` simulates, so that both ways to set one up can be tried without one.
///
/// One is on the network already, and wants its password. The other is new: its label is held before the fake camera of the device while
/// somebody looks for one, it sees the codes that are shown for it, and joins when they say the right network. Whoever sets it up again has
/// reset it before, as its button does.
struct SimulatedWiFiCameras: Sendable {
    /// What new cameras of this kind have.
    private static let password = "888888"
    private static let wifi = WiFiAccess(name: "Simulated Home", password: Secret("simulated"))
    /// How long it takes to fetch the camera and to hold its label up.
    private static let reach = Duration.seconds(2)

    /// Where searches are sent.
    var addresses: [Endpoint] { [ready.address, place.endpoint] }
    /// What is held before the fake camera of the device.
    let label: HeldLabel
    private let ready: RunningVeepaCamera
    private let new: UnpairedVeepaCamera
    private let place: HeldPort
    private let watching = OwnedTasks()

    /// Gives the cameras power, each at a free port of this machine.
    static func start(on network: some DatagramNetwork) async throws -> SimulatedWiFiCameras {
        let loopback = SocketAddress(host: "127.0.0.1", port: 0)
        let pictures = try CameraPictures()
        func simulator(_ id: String) -> VeepaCameraSimulator {
            guard let id = DeviceID(id) else { preconditionFailure("\(id) is the ID of a camera") }
            var settings = VeepaCameraSettings(id: id, password: password)
            settings.sessionPort = .same
            settings.networks = [.init(name: wifi.name, password: wifi.password.reveal())]
            return VeepaCameraSimulator(settings) { pictures.jpeg($0) }
        }
        let ready = try await simulator("VSTK-123456-ABCDE").start(on: network, at: loopback)
        // Where the new one will be is known before it is there.
        let place = HeldPort(network, try await network.bind(loopback))
        let new = UnpairedVeepaCamera(simulator("VSTK-654321-FGHJK"))
        await new.turnOn(at: place, address: place.address)
        return SimulatedWiFiCameras(label: HeldLabel(), ready: ready, new: new, place: place)
    }

    private init(label: HeldLabel, ready: RunningVeepaCamera, new: UnpairedVeepaCamera, place: HeldPort) {
        (self.label, self.ready, self.new, self.place) = (label, ready, new, place)
    }

    /// Has the new camera see what an app shows, and its label held up when the app looks for one.
    func watch(_ setup: CameraSetup) {
        watching.replace(with: [
            Task { [new] in await CameraAtScreen(new).look(at: setup) },
            Task { [new, label, place] in
                for await state in setup.state.values() {
                    if state.step == .scanning {
                        if await new.isOnNetwork {
                            await new.reset()
                            await new.turnOn(at: place, address: place.address)
                        }
                        try? await Task.sleep(for: Self.reach)
                    }
                    try? label.hold(setup.state.value.step == .scanning ? new.label() : nil)
                }
            },
        ])
    }

    /// Takes their power.
    func stop() async {
        await watching.cancelAndWait()
        await new.turnOff()
        await ready.stop()
    }

    /// What people have to know of them.
    static func note(isDeviceSimulated: Bool) -> String {
        let device =
            isDeviceSimulated
            ? "The camera of this device is simulated, too, and sees the label of the new one while it is looked for. "
            : ""
        return "The Wi-Fi cameras are simulated. One is in the network already, and one is new. "
            + device
            + "The new one finds one Wi-Fi network, “\(wifi.name)”, whose password is “\(wifi.password.reveal())”."
    }
}

/// A network with a port that is kept for one socket at a time: it is bound before anybody needs it.
private final class HeldPort: DatagramNetwork {
    let endpoint: Endpoint
    private let base: any DatagramNetwork
    private let held: Mutex<(any DatagramSocket)?>

    init(_ base: any DatagramNetwork, _ socket: any DatagramSocket) {
        (self.base, endpoint) = (base, socket.localAddress)
        held = Mutex(socket)
    }

    var address: SocketAddress { SocketAddress(host: "127.0.0.1", port: endpoint.port) }

    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        let socket = held.withLock { held in
            defer { held = nil }
            return held
        }
        if let socket { return socket }
        return try await base.bind(address, options: options)
    }

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await base.resolve(address)
    }

    func interfaces() async throws(TransportError) -> [NetworkInterface] { try await base.interfaces() }
}
