import Concurrency
import Foundation
import JPEG
import Lens
import PPPP
import PeerKit
import QRCode
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import TestSupport
import Transport
import UnpairedVeepaCamera
import VeepaCamera
import VeepaCameraSimulator

/// A camera in its box, an access point, and the parts of the app that set the camera up, as an app wires them.
struct PairingWorld {
    static let id = ["VSTK-123456-ABCDE"].compactMap { DeviceID($0) }[0]
    static let wifi = WiFiAccess(name: #"Käse; "Küche""#, password: Secret(#"p:ä;s"s\word 1"#))
    static let password = "888888"

    let network = SimulatedNetwork(
        defaults: LinkConditions(latency: .uniform(.milliseconds(1) ... .milliseconds(20)))
    )
    let camera: UnpairedVeepaCamera
    let table: TableCamera
    let secrets = InMemorySecretStore()
    let router: CameraRouter
    let setup: CameraSetup
    /// Searches that go on.
    let searches = Box(0)
    /// Openings of the local camera that were not closed.
    let open = Box(0)
    /// What was kept when the camera was to be connected.
    let connected = Box<[CameraCredentials?]>([])
    /// All states of the setup that were seen.
    let states = Box<[CameraSetupState]>([])

    /// - Parameter engineStarts: Whether the engine can be used after its start, which takes a second.
    init(
        join: Duration = .seconds(60),
        engineStarts: Bool = true,
        _ change: (inout VeepaCameraSettings) -> Void = { _ in }
    ) throws {
        var settings = VeepaCameraSettings(id: Self.id, password: Self.password)
        settings.networks = [.init(name: Self.wifi.name, password: Self.wifi.password.reveal())]
        change(&settings)
        camera = UnpairedVeepaCamera(VeepaCameraSimulator(settings) { TestFrame.jpeg($0) })
        table = TableCamera(try JPEGEncoder().encode(GrayPicture.table.pixelBuffer(), quality: 60))
        let (network, table, searches, open, connected) = (network, table, searches, open, connected)
        network.host("phone")
        network.host("camera")
        let engine = DeviceEngine { () throws(CameraError) in
            try? await Task.sleep(for: engineStarts ? .seconds(1) : .seconds(100_000))
            return CountedCameras(VeepaCameras(network: network.host("phone")), searches)
        }
        let networkCamera = NetworkCamera(engine, CameraKey(secrets))
        let router = CameraRouter(factories: [.local: { _ in table }, .veepaWiFi: networkCamera.make])
        var times = CameraSetupTimes()
        times.join = join
        let codes = CameraCodes(reader: QRCodeReader(), maker: QRCodeMaker(), pairing: VeepaPairing())
        var parts = networkCamera.setupParts(codes, on: router)
        let base = parts
        parts.openPictures = { () throws(CameraError) in
            let frames = try await base.openPictures()
            open.increment()
            return frames
        }
        parts.closePictures = {
            open.add(-1)
            await base.closePictures()
        }
        parts.connect = { (credentials, kept) throws(CameraError) in
            try await base.connect(credentials) {
                connected.append(try? networkCamera.key.read())
                await kept()
            }
        }
        let setup = CameraSetup(parts, times: times)
        (self.router, self.setup) = (router, setup)
    }

    /// Gives the camera power, and runs a story in front of it: it sees the phone's screen all the time.
    func run(_ body: () async throws -> Void) async throws {
        await camera.turnOn(at: network.host("camera"))
        let tasks = [
            Task { await showScreen() },
            Task { [states, setup] in for await state in setup.state.values() { states.append(state) } },
        ]
        defer { for task in tasks { task.cancel() } }
        try await body()
        await setup.cancel()
        await router.disconnect()
        await camera.turnOff()
    }

    /// Shows the codes in turn, as a screen does.
    private func showScreen() async {
        var number = 0
        while !Task.isCancelled {
            let state = setup.state.value
            if state.codes > 0, let photo = try? await setup.code(number % state.codes)?.photo() {
                number += 1
                await camera.look(
                    at: VideoFrame(sequence: number, timestamp: .zero, size: nil, content: .jpeg(photo))
                )
            }
            try? await Task.sleep(for: .milliseconds(max(state.codeMilliseconds, 100)))
        }
    }

    /// Lays the camera's label on the table.
    func layLabel() throws { table.picture.set(try camera.label().photo()) }

    /// Lays a code of something else on the table.
    func lay(_ text: String) throws { table.picture.set(try QRCodeMaker().symbol(of: text).photo()) }

    /// Up to the step at which the network is entered.
    func readLabel() async throws {
        try layLabel()
        await setup.start()
        _ = await reaches { $0.step == .labelRead }
    }

    /// Waits for a state, for three minutes at most.
    func reaches(_ isIt: @escaping @Sendable (CameraSetupState) -> Bool) async -> Bool {
        await wait(for: setup.state, isIt)
    }

    /// Waits until a camera is connected, for three minutes at most.
    func isConnected(_ source: CameraSourceType) async -> Bool {
        await wait(for: router.status) { $0.source == source && $0.state == .connected }
    }

    private func wait<Value>(for published: Published<Value>, _ isIt: @escaping @Sendable (Value) -> Bool)
        async -> Bool
    {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await value in published.values() where isIt(value) { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(180))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// The steps that were seen, in their order.
    var steps: [CameraSetupState.Step] {
        states.value.map(\.step).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    func arm(_ point: String, _ values: [String: Double] = [:], atMost: Int = .max) {
        Simulation.current?.arm(
            faultPoint: point,
            probability: 1,
            values: values,
            skipping: 0,
            atMost: atMost
        )
    }

    var kept: CameraCredentials? { try? CameraKey(secrets).read() }

    static let credentials = CameraCredentials(
        device: id.description,
        user: "admin",
        password: Secret(password)
    )
}

/// Counts the searches that go on.
private struct CountedCameras: WirelessCameras {
    let cameras: any WirelessCameras
    let searches: Box<Int>

    init(_ cameras: any WirelessCameras, _ searches: Box<Int>) {
        (self.cameras, self.searches) = (cameras, searches)
    }

    func camera(
        size: PixelSize,
        credentials: @escaping @Sendable () async throws -> CameraCredentials?
    ) -> any CameraSource {
        cameras.camera(size: size, credentials: credentials)
    }

    func search(
        for window: Duration,
        found: @escaping @Sendable (DiscoveredCamera) async -> Void
    ) async throws(CameraError) {
        searches.increment()
        defer { searches.add(-1) }
        try await cameras.search(for: window, found: found)
    }
}
