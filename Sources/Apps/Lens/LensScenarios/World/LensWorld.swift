import Concurrency
public import FaultPlans
import Files
import GeminiAPI
public import GeminiServer
public import Lens
import ScenarioKit
import Services
public import SimulatedDevice
public import SimulatedDisk
public import SimulatedTransport
public import Simulation
public import SupabaseServer
import Synchronization
import Transport
import VeepaCamera

/// A phone with the app, a Gemini, a Supabase and one network, inside the current simulation.
public final class LensWorld: Sendable {
    /// What was asked for.
    public let options: LensOptions
    /// The network between the hosts `phone`, `gemini` and `supabase`.
    ///
    /// - Precondition: The world is simulated; real sockets have no such network.
    public var network: SimulatedNetwork {
        guard let simulatedNetwork else { preconditionFailure("this world stands on real sockets") }
        return simulatedNetwork
    }

    /// The model.
    public let gemini: GeminiServer
    /// The store.
    public let supabase: SupabaseServer
    /// What the phone knows of its network, over all its starts.
    let networkMonitor: SimulatedNetworkMonitor
    /// The Wi-Fi camera on the host `camera`, where the options ask for one and the world is simulated.
    public let wifiCamera: SimulatedWiFiCamera?
    /// The new camera that is held before the phone's screen.
    private let atScreen = OwnedTasks()
    /// What the phone keeps secret, over all its starts.
    let secrets = InMemorySecretStore()
    /// The simulated process that the app runs in.
    public let phone: Node

    /// The disk with the app's files, where the world is simulated.
    public var disk: SimulatedDisk? { if case .disk(let disk) = storage { disk } else { nil } }

    /// Where the app's files lie.
    private enum Storage: Sendable {
        case disk(SimulatedDisk)
        case folder(WorldFolder)
    }

    private let storage: Storage
    private let simulatedNetwork: SimulatedNetwork?
    private let simulatedFaults: Faults?
    /// How the phone reaches the servers.
    let addresses: LensAddresses
    let transport: any Transport
    private let current = Mutex<LensPhone?>(nil)
    private let disturbance = Mutex(false)

    /// The app on the phone; a new one after each restart.
    public var lens: LensApp { device.app }
    /// What the phone has said aloud, since its last start.
    public var speech: SimulatedSpeechSynthesizer { device.synthesizer }
    /// The phone's encoder.
    public var encoder: MeasuredEncoder { device.encoder }

    /// The cameras of the phone, over all its starts.
    let cameras = CameraWatch()

    /// Whether a plan of faults makes this world worse than the scenario itself does.
    var isDisturbed: Bool { disturbance.withLock { $0 } }

    /// What a user expects of the app, since its last start.
    var watch: PhoneWatch { PhoneWatch(lens: lens, model: device.watch, speech: speech) }

    /// What the app asked of the store, since its last start.
    var store: StoreWatch { device.store }

    private var device: LensPhone {
        guard let device = current.withLock({ $0 }) else { preconditionFailure("the phone is not started") }
        return device
    }

    /// Builds the world, starts its servers, and launches the app.
    ///
    /// - Throws: When a part cannot be made. Must be called inside a simulation.
    public static func start(_ options: LensOptions = LensOptions()) async throws -> LensWorld {
        guard let simulation = Simulation.current else { throw OutsideASimulation() }
        let world: LensWorld
        switch Binding.current {
        case .loopback(let peers): world = try LensWorld(options, simulation, LoopbackServers(peers))
        case .simulated:
            world = try LensWorld(options, simulation)
            let (gemini, supabase) = (world.network.host("gemini"), world.network.host("supabase"))
            _ = try await gemini.listen(world.gemini, at: SocketAddress(host: "gemini", port: 80))
            _ = try await supabase.listen(world.supabase, at: SocketAddress(host: "supabase", port: 80))
            // The servers run throughout: faults are between them and the phone, and only the phone crashes, as scenarios say.
            try await world.wifiCamera?.turnOn()
            let space = FaultSpace(
                hosts: world.network.hostNames,
                clocks: ["phone"],
                peers: world.plannedPoints,
                seconds: 30
            )
            let disks = [world.disk].compactMap(\.self)
            if let plan = try FaultPlan.ofThisRun(over: space) {
                try plan.apply(network: world.network, disks: disks, peers: world.plannedPoints)
                world.disturbance.withLock { $0 = plan != FaultPlan() }
            }
        }
        try await world.startPhone()
        return world
    }

    private init(_ options: LensOptions, _ simulation: Simulation) throws {
        self.options = options
        let network = SimulatedNetwork(defaults: options.link)
        let servers = try LensServers(options)
        gemini = servers.gemini
        supabase = servers.supabase
        for host in ["phone", "gemini", "supabase"] { _ = network.host(host) }
        simulatedNetwork = network
        switch options.networkCamera {
        case .fake: wifiCamera = nil
        case .new: wifiCamera = try SimulatedWiFiCamera(options, on: network, isNew: true)
        case .simulated(let isSetUp):
            let camera = try SimulatedWiFiCamera(options, on: network, isNew: false)
            if isSetUp { try camera.keepCredentials(in: secrets) }
            wifiCamera = camera
        }
        let host = network.host("phone")
        transport = host
        networkMonitor = SimulatedNetworkMonitor(of: host)
        addresses = LensAddresses(
            gemini: GeminiEndpoint(authority: "gemini:80", isSecure: false),
            geminiKey: Secret(LensOptions.modelKey),
            supabase: "http://supabase:80",
            supabaseKey: LensServers.storeKey
        )
        phone = simulation.node("phone")
        let disk = SimulatedDisk(node: phone)
        if options.losesUnsyncedWrites { disk.conditions = .losingUnsyncedWrites }
        storage = .disk(disk)
        simulatedFaults = Faults(network: network, disks: [disk])
    }

    private init(_ options: LensOptions, _ simulation: Simulation, _ hosted: LoopbackServers) throws {
        self.options = options
        simulatedNetwork = nil
        simulatedFaults = nil
        networkMonitor = SimulatedNetworkMonitor()
        wifiCamera = nil
        gemini = hosted.servers.gemini
        supabase = hosted.servers.supabase
        transport = OutsideTransport(hosted.transport)
        addresses = hosted.addresses
        phone = simulation.node("phone")
        storage = .folder(try WorldFolder())
    }

    /// Injects faults, at a time or at random times.
    ///
    /// - Precondition: The world is simulated.
    public var faults: Faults {
        guard let simulatedFaults else { preconditionFailure("this world stands on real sockets") }
        return simulatedFaults
    }

    // MARK: The network

    /// Takes the network from the phone, as airplane mode does: nothing gets through, and the phone knows it.
    ///
    /// - Precondition: The world is simulated.
    public func goOffline() { network.host("phone").setAirplaneMode(true) }

    /// Gives the network back; connections that were open go on, unless they have timed out.
    ///
    /// - Precondition: The world is simulated.
    public func goOnline() { network.host("phone").setAirplaneMode(false) }

    // MARK: The phone

    /// Runs code of the app on the phone, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    public func onPhone<Value: Sendable>(
        _ body: @escaping @Sendable (LensApp) async throws -> Value
    ) async throws -> Value {
        let app = lens
        return try await phone.run { try await body(app) }
    }

    /// Ends the app's process at once, and starts it again on what its disk kept.
    public func restartPhone() async throws {
        phone.restart()
        cameras.powerOff()
        try await startPhone()
    }

    private func startPhone() async throws {
        let (folder, database, files): (String, String, any FileSystem) =
            switch storage {
            case .disk(let disk): ("/phone", disk.databasePath("lens.sqlite"), SimulatedFiles(disk: disk))
            case .folder(let folder): (folder.path, folder.path + "/lens.sqlite", SystemFiles())
            }
        var networkCameras: DeviceEngine.Factory?
        if wifiCamera != nil {
            networkCameras = { [cameras, transport] in
                WatchedNetworkCameras(base: VeepaCameras(network: transport), watch: cameras)
            }
        }
        atScreen.cancelAll()
        let local = LensPhone.camera(options, seed: Simulation.current?.seed ?? 0)
        let camera = wifiCamera.map { LabelledCamera(local, $0.label) as any CameraSource } ?? local
        let device = try await phone.run { [self, networkCameras] in
            let device = try LensPhone(
                options,
                addresses: addresses,
                transport: transport,
                camera: cameras.watching(camera, as: CameraSourceType.local.rawValue),
                wifiCamera: cameras.watching(
                    LensPhone.camera(options.atSecondCamera, seed: Simulation.current?.seed ?? 0),
                    as: CameraSourceType.veepaWiFi.rawValue
                ),
                networkCameras: networkCameras,
                secrets: secrets,
                folder: folder,
                databasePath: options.keepsDatabase ? database : ":memory:",
                files: files,
                network: networkMonitor
            )
            _ = await device.app.launch()
            return device
        }
        current.withLock { $0 = device }
        if let camera = wifiCamera?.unpaired, let setup = device.app.cameraSetup {
            atScreen.replace(with: [Task { await CameraAtScreen(camera).look(at: setup) }])
        }
    }

    /// Ends the app in good order.
    public func shutdown() async throws {
        atScreen.cancelAll()
        let device = device
        try await phone.run { await device.shutdown() }
    }
}
