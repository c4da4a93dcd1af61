import Concurrency
public import GeminiServer
public import Lens
public import ScenarioKit
import Services
public import SimulatedDevice
import SimulatedDisk
public import SimulatedTransport
public import Simulation
public import SupabaseServer
import Transport
import VeepaCameraSimulator

/// A phone with the app, a Gemini, a Supabase and one network, inside the current simulation.
public final class LensWorld: Sendable {
    /// What was asked for.
    public let options: LensOptions
    /// The world of the app and the hosts `phone`, `gemini` and `supabase`: network, disk, faults.
    public let base: AppWorld<LensPhone>
    /// The model.
    public let gemini: GeminiServer
    /// The store.
    public let supabase: SupabaseServer
    /// The Wi-Fi camera on the host `camera`, where the options ask for one and the world is simulated.
    public let wifiCamera: SimulatedWiFiCamera?
    /// What the phone keeps secret, over all its starts.
    let secrets: InMemorySecretStore
    /// The cameras of the phone, over all its starts.
    let cameras: CameraWatch
    /// The new camera that is held before the phone's screen.
    private let atScreen = OwnedTasks()

    /// Builds the world, starts its servers, and launches the app.
    ///
    /// - Throws: When a part cannot be made. Must be called inside a simulation.
    public static func start(_ options: LensOptions = LensOptions()) async throws -> LensWorld {
        let servers = try LensServers(options)
        let (secrets, cameras) = (InMemorySecretStore(), CameraWatch())
        let wifiCamera = Binding.current.isSimulated ? try SimulatedWiFiCamera(options) : nil
        if case .simulated(isSetUp: true) = options.networkCamera {
            try wifiCamera?.keepCredentials(in: secrets)
        }
        let blueprint = Blueprint(
            peers: [
                WorldPeer("gemini", servers.gemini, faultPoints: GeminiServer.faultPoints),
                WorldPeer("supabase", servers.supabase, faultPoints: SupabaseServer.objectFaultPoints),
            ],
            hosts: wifiCamera.map { camera in
                [
                    WorldHost("camera", faultPoints: VeepaCameraSimulator.faultPoints) {
                        try await camera.turnOn(at: $0)
                    }
                ]
            } ?? [],
            link: options.link,
            disk: options.losesUnsyncedWrites ? .losingUnsyncedWrites : .init()
        ) { device in
            let phone = try LensPhone(
                options,
                on: device,
                secrets: secrets,
                cameras: cameras,
                wifiCamera: wifiCamera
            )
            _ = await phone.app.launch()
            return phone
        } shutdown: { phone in
            await phone.shutdown()
        }
        let world = LensWorld(options, try await .start(blueprint), servers, secrets, cameras, wifiCamera)
        world.showScreen()
        return world
    }

    private init(
        _ options: LensOptions,
        _ base: AppWorld<LensPhone>,
        _ servers: LensServers,
        _ secrets: InMemorySecretStore,
        _ cameras: CameraWatch,
        _ wifiCamera: SimulatedWiFiCamera?
    ) {
        (self.options, self.base, self.secrets, self.cameras) = (options, base, secrets, cameras)
        (gemini, supabase, self.wifiCamera) = (servers.gemini, servers.supabase, wifiCamera)
        base.device.onRestart { [cameras, atScreen] in
            cameras.powerOff()
            atScreen.cancelAll()
        }
    }

    // MARK: The phone

    /// The simulated process that the app runs in.
    public var phone: Node { base.device }

    /// The network between the hosts.
    ///
    /// - Precondition: The world is simulated.
    public var network: SimulatedNetwork { base.network }

    /// What reaches the services from the phone.
    var transport: any Transport { base.environment.transport }
    /// Where the services are.
    var addresses: LensAddresses { LensAddresses(base.environment.authority) }

    /// The app on the phone; a new one after each restart.
    public var lens: LensApp { base.app.app }
    /// What the phone has said aloud, since its last start.
    public var speech: SimulatedSpeechSynthesizer { base.app.synthesizer }
    /// The phone's encoder.
    public var encoder: MeasuredEncoder { base.app.encoder }

    /// What a user expects of the app, since its last start.
    var watch: PhoneWatch { PhoneWatch(lens: lens, model: base.app.watch, speech: speech) }

    /// What the app asked of the store, since its last start.
    var store: StoreWatch { base.app.store }

    /// Runs code of the app on the phone, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    public func onPhone<Value: Sendable>(
        _ body: @escaping @Sendable (LensApp) async throws -> Value
    ) async throws -> Value {
        try await base.onDevice { try await body($0.app) }
    }

    /// Ends the app's process at once, and starts it again on what its disk kept.
    public func restartPhone() async throws {
        try await base.restart()
        showScreen()
    }

    /// Ends the app in good order.
    public func shutdown() async throws {
        atScreen.cancelAll()
        try await base.shutdown()
    }

    private func showScreen() {
        guard let camera = wifiCamera?.unpaired, let setup = lens.cameraSetup else { return }
        atScreen.replace(with: [Task { await CameraAtScreen(camera).look(at: setup) }])
    }
}
