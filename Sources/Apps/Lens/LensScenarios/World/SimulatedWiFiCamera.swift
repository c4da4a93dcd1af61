import Lens
import PPPP
public import Services
import SimulatedDevice
import SimulatedTransport
import Synchronization
import Transport
import UnpairedVeepaCamera
public import VeepaCameraSimulator

/// The Wi-Fi camera of a simulated world: it has power or not, and shows prepared pictures.
public final class SimulatedWiFiCamera: Sendable {
    /// The camera's identity.
    public static let id: String = "VSTK-123456-ABCDE"
    /// The password of its user `admin`.
    public static let password: String = "pass&word=1"
    /// The password of its user `admin` when it is new.
    public static let factoryPassword: String = "888888"
    /// The Wi-Fi network around it.
    public static let wifi: WiFiAccess = WiFiAccess(name: "Home; \"1\"", password: Secret("wifi:pass;word"))

    /// What is held before the phone's own camera.
    public let label: HeldLabel = HeldLabel()

    private let host = Mutex<SimulatedHost?>(nil)
    private let simulator: VeepaCameraSimulator
    /// Itself, where it has to be set up from its box.
    let unpaired: UnpairedVeepaCamera?
    private let running = Mutex<RunningVeepaCamera?>(nil)

    /// The camera that the options ask for, without power; `nil` where they ask for none.
    init?(_ options: LensOptions) throws {
        let isNew: Bool
        switch options.networkCamera {
        case .fake: return nil
        case .simulated: isNew = false
        case .new: isNew = true
        }
        guard let id = DeviceID(Self.id) else { preconditionFailure("\(Self.id) is an ID") }
        var files = try PreparedFrames.make(size: options.size).files
        if case .prepared(let frames) = options.scene { files = frames.files }
        var settings = VeepaCameraSettings(id: id, password: isNew ? Self.factoryPassword : Self.password)
        settings.networks = [.init(name: Self.wifi.name, password: Self.wifi.password.reveal())]
        simulator = VeepaCameraSimulator(settings) { [files] in files[$0 % files.count] }
        unpaired = isNew ? UnpairedVeepaCamera(simulator) : nil
    }

    /// What it has seen and done, over all restarts.
    public var record: VeepaCameraRecord { simulator.record }

    /// Puts it on its network, with power.
    func turnOn(at host: SimulatedHost) async throws {
        self.host.withLock { $0 = host }
        try await turnOn()
    }

    /// Gives it power.
    ///
    /// - Throws: `TransportError`.
    public func turnOn() async throws {
        guard let host = host.withLock(\.self) else { return }
        if let unpaired { return await unpaired.turnOn(at: host) }
        guard running.withLock({ $0 == nil }) else { return }
        let camera = try await simulator.start(on: host)
        running.withLock { $0 = camera }
    }

    /// Takes its power: nobody is notified.
    public func turnOff() async {
        if let unpaired { return await unpaired.turnOff() }
        let camera = running.withLock { running in
            defer { running = nil }
            return running
        }
        await camera?.stop()
    }

    /// Makes a new one forget its network, and takes its power.
    public func reset() async { await unpaired?.reset() }

    /// Holds the camera's label before the phone's own camera, or takes it away.
    ///
    /// - Throws: When no code or no picture can be made.
    public func holdLabel(_ isHeld: Bool) throws {
        try label.hold(isHeld ? UnpairedVeepaCamera(simulator).label() : nil)
    }

    /// Holds something else before it.
    ///
    /// - Throws: When no picture can be made.
    public func hold(_ symbol: BarcodeSymbol) throws { try label.hold(symbol) }

    /// Changes the password of its user, from its next start on.
    public func changePassword(to password: String) {
        simulator.reconfigure { $0.password = password }
    }

    /// Sets it up on a phone.
    func keepCredentials(in secrets: InMemorySecretStore) throws {
        let json = #"{"device":"\#(Self.id)","password":"\#(Self.password)","user":"admin"}"#
        try secrets.set(Secret(json), named: CameraKey.name)
    }
}
