import PPPP
import Services
import SimulatedTransport
import Synchronization
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// A phone and a Wi-Fi camera at two places, each behind a router, and a directory with a relay between them, on a poor network.
final class FarCamera: Sendable {
    /// After which time without frames the client counts a camera as lost, twice ``VeepaOptions/frameSilence``, and what the network
    /// may hold back.
    static let oldestFrame: Duration = .seconds(12)

    private static let key = "vstarcam2019"
    private static let password = "pass&word=1"

    let network: SimulatedNetwork
    let directory: RunningVeepaDirectory
    private let phone: SimulatedHost
    private let home: SimulatedHost
    private let routers: [SimulatedNAT]
    private let simulator: VeepaCameraSimulator
    private let credentials: VeepaCredentials
    private let beginning = ContinuousClock.now
    private let running = Mutex<RunningVeepaCamera?>(nil)

    /// - Throws: `TransportError`.
    init() async throws {
        var conditions = LinkConditions(
            latency: .uniform(.milliseconds(5) ... .milliseconds(60)),
            loss: .random(in: 0...0.1)
        )
        conditions.duplication = .random(in: 0...0.1)
        conditions.reordering = .random(in: 0...0.2)
        let network = SimulatedNetwork(defaults: conditions)
        guard let prefix = IPSubnet("192.168.1.0/24"), let id = DeviceID(SimulatedWiFiCamera.id) else {
            preconditionFailure("a network and an ID")
        }
        let behaviours: [NATBehaviour] = [.fullCone, .restrictedCone, .portRestrictedCone, .symmetric]
        let places = ["office", "home"].map {
            network.subnet($0, prefix, behind: behaviours[Int.random(in: behaviours.indices)])
        }
        routers = places.compactMap(\.nat)
        phone = network.host("phone", on: places[0])
        home = network.host("camera", on: places[1])
        let server = network.host("server")
        let addresses = try await server.interfaces().flatMap(\.addresses).map(\.address)
        guard let address = addresses.first(where: { $0.version == .v4 && !$0.isLoopback }) else {
            preconditionFailure("a host of the Internet has an address")
        }
        directory = try await VeepaDirectory(key: Self.key).start(on: server)
        var settings = VeepaCameraSettings(id: id, password: Self.password)
        settings.directories = [Endpoint(address, port: 32_100)]
        settings.framesPerSecond = 5
        let files = try PreparedFrames.make(size: PixelSize(width: 160, height: 90)).files
        simulator = VeepaCameraSimulator(settings) { [beginning] number in
            Self.stamped(files[number % files.count], ContinuousClock.now - beginning)
        }
        var credentials = VeepaCredentials(id: id, user: "admin", password: Secret(Self.password))
        credentials.service = ServiceParameter(servers: [address], key: Self.key)
        self.credentials = credentials
        self.network = network
    }

    /// The phone's client of it.
    func client() -> VeepaCamera {
        VeepaCamera(network: phone) { [credentials] in credentials }
    }

    /// Sessions that the camera keeps.
    var openSessions: Int { simulator.record.openSessions }

    /// Gives the camera power; harmless when it has it.
    func turnOn() async throws {
        guard running.withLock({ $0 == nil }) else { return }
        let camera = try await simulator.start(on: home)
        running.withLock { $0 = camera }
    }

    /// Takes its power; harmless when it has none.
    func turnOff() async {
        let camera = running.withLock { running in
            defer { running = nil }
            return running
        }
        await camera?.stop()
    }

    /// Makes one of the routers give out new addresses and ports.
    func forgetMappings() { routers.randomElement()?.forgetMappings() }

    // MARK: The age of a picture

    /// Puts the time at which a picture was made behind its beginning, in a comment (ISO/IEC 10918-1, B.2.4.5).
    private static func stamped(_ file: [UInt8], _ time: Duration) -> [UInt8] {
        let nanoseconds = UInt64(time / .nanoseconds(1))
        let stamp = (0..<8).map { UInt8(truncatingIfNeeded: nanoseconds >> (56 - 8 * $0)) }
        return file.prefix(2) + [0xFF, 0xFE, 0, 10] + stamp + file.dropFirst(2)
    }

    /// How long ago the camera made a picture; `nil` for one that it did not make.
    func age(of frame: VideoFrame) -> Duration? {
        guard case .jpeg(let file) = frame.content, file.dropFirst(2).starts(with: [0xFF, 0xFE, 0, 10]),
            file.count > 14
        else { return nil }
        let nanoseconds = file[6..<14].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ContinuousClock.now - beginning - .nanoseconds(Int64(nanoseconds))
    }
}
