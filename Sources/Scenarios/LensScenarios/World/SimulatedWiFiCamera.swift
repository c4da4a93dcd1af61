import Lens
import PPPP
import Services
import SimulatedDevice
import SimulatedTransport
import Synchronization
import Transport
public import VeepaCameraSimulator

/// The Wi-Fi camera of a simulated world: it has power or not, and shows prepared pictures.
public final class SimulatedWiFiCamera: Sendable {
    /// The camera's identity.
    public static let id: String = "VSTK-123456-ABCDE"
    /// The password of its user `admin`.
    public static let password: String = "pass&word=1"

    private let host: SimulatedHost
    private let simulator: VeepaCameraSimulator
    private let running = Mutex<RunningVeepaCamera?>(nil)

    init(_ options: LensOptions, on network: SimulatedNetwork) throws {
        guard let id = DeviceID(Self.id) else { preconditionFailure("\(Self.id) is an ID") }
        var files = try PreparedFrames.make(size: options.size).files
        if case .prepared(let frames) = options.scene { files = frames.files }
        host = network.host("camera")
        simulator = VeepaCameraSimulator(VeepaCameraSettings(id: id, password: Self.password)) { [files] in
            files[$0 % files.count]
        }
    }

    /// What it has seen and done, over all restarts.
    public var record: VeepaCameraRecord { simulator.record }

    /// Gives it power.
    ///
    /// - Throws: `TransportError`.
    public func turnOn() async throws {
        guard running.withLock({ $0 == nil }) else { return }
        let camera = try await simulator.start(on: host)
        running.withLock { $0 = camera }
    }

    /// Takes its power: nobody is notified.
    public func turnOff() async {
        let camera = running.withLock { running in
            defer { running = nil }
            return running
        }
        await camera?.stop()
    }

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
