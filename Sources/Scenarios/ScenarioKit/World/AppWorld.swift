public import FaultPlans
internal import Files
public import PeerKit
internal import SimulatedDevice
public import SimulatedDisk
public import SimulatedTransport
public import Simulation
internal import Synchronization
public import Transport

/// What a world of an app is made of.
///
/// ```swift
/// let server = NotesServer()
/// let world = try await AppWorld.start(
///     Blueprint(peers: [WorldPeer("notes", server)]) { device in
///         try NotesApp(http: device.transport, address: device.address(of: "notes"), database: device.databasePath("notes"))
///     }
/// )
/// ```
public struct Blueprint<App: Sendable>: Sendable {
    /// The services.
    public var peers: [WorldPeer]
    /// The hosts of further devices, which only a simulated world has.
    public var hosts: [WorldHost]
    /// The links between hosts.
    public var link: LinkConditions
    /// What the disk of the device does when its power is cut.
    public var disk: DiskConditions
    /// Starts the app on its device: at first, and after each restart.
    public var launch: @Sendable (WorldDevice) async throws -> App
    /// Ends the app in good order.
    public var shutdown: @Sendable (App) async -> Void

    /// A blueprint of its parts.
    public init(
        peers: [WorldPeer],
        hosts: [WorldHost] = [],
        link: LinkConditions = LinkConditions(),
        disk: DiskConditions = DiskConditions(),
        launch: @escaping @Sendable (WorldDevice) async throws -> App,
        shutdown: @escaping @Sendable (App) async -> Void = { _ in }
    ) {
        self.peers = peers
        self.hosts = hosts
        self.link = link
        self.disk = disk
        self.launch = launch
        self.shutdown = shutdown
    }
}

/// A service of a world.
public struct WorldPeer: Sendable {
    /// The name of its host.
    public var name: String
    /// What answers there, at port 80.
    public var server: any Server
    /// Where something may go wrong with it.
    public var faultPoints: [PeerFaultPoint]

    /// A service of that name.
    public init(_ name: String, _ server: any Server, faultPoints: [PeerFaultPoint] = []) {
        self.name = name
        self.server = server
        self.faultPoints = faultPoints
    }
}

/// A host of a simulated world for a device beside the app's, such as a camera.
public struct WorldHost: Sendable {
    /// Its name.
    public var name: String
    /// Where something may go wrong with the device.
    public var faultPoints: [PeerFaultPoint]
    /// Switches the device on at its host, before the app is launched.
    public var start: @Sendable (SimulatedHost) async throws -> Void

    /// A host of that name.
    public init(
        _ name: String,
        faultPoints: [PeerFaultPoint] = [],
        start: @escaping @Sendable (SimulatedHost) async throws -> Void
    ) {
        self.name = name
        self.faultPoints = faultPoints
        self.start = start
    }
}

/// An app on its device, its services, and the network between them, inside the current simulation.
///
/// Over ``Binding/loopback(_:)`` the same app reaches the same services over real sockets, and its files lie in a folder of this machine; faults
/// are for simulated worlds alone.
public final class AppWorld<App: Sendable>: Sendable {
    /// The simulated process that the app runs in.
    public let device: Node
    /// Whether a plan of faults makes this world worse than the scenario itself does.
    public var isDisturbed: Bool { disturbance.withLock { $0 } }

    /// Whether network and services are simulated, and not behind real sockets.
    public var isSimulated: Bool { if case .simulated = place { true } else { false } }

    private let blueprint: Blueprint<App>
    private let simulation: Simulation
    private let place: Place
    private let monitor: SimulatedNetworkMonitor
    private let current = Mutex<App?>(nil)
    private let disturbance = Mutex(false)

    /// Where the world is.
    private enum Place: Sendable {
        case simulated(SimulatedNetwork, SimulatedDisk)
        case loopback(LoopbackPeers, WorldFolder)
    }

    /// The name of the app's host, its clock and its node.
    public static var deviceName: String { "phone" }

    /// Builds the world, starts its services, and launches the app.
    ///
    /// A plan of faults of the present run, such as a swarm draws, is applied to it.
    ///
    /// - Throws: ``OutsideASimulation``, and what the app throws when it is launched.
    public static func start(_ blueprint: Blueprint<App>) async throws -> AppWorld {
        guard let simulation = Simulation.current else { throw OutsideASimulation() }
        let world = try AppWorld(blueprint, simulation)
        switch world.place {
        case .simulated(let network, let disk): try await world.begin(network, disk)
        case .loopback(let peers, _):
            for peer in blueprint.peers { try await peers.host(peer.server, as: peer.name) }
        }
        try await world.launch()
        return world
    }

    private func begin(_ network: SimulatedNetwork, _ disk: SimulatedDisk) async throws {
        for peer in blueprint.peers {
            let address = SocketAddress(host: peer.name, port: 80)
            _ = try await network.host(peer.name).listen(peer.server, at: address)
        }
        for host in blueprint.hosts { try await host.start(network.host(host.name)) }
        let points = plannedPoints
        let space = FaultSpace(
            hosts: network.hostNames,
            clocks: [Self.deviceName],
            peers: points,
            seconds: 30
        )
        if let plan = try FaultPlan.ofThisRun(over: space) {
            try plan.apply(network: network, disks: [disk], peers: points)
            disturbance.withLock { $0 = plan != FaultPlan() }
        }
    }

    private init(_ blueprint: Blueprint<App>, _ simulation: Simulation) throws {
        self.blueprint = blueprint
        self.simulation = simulation
        device = simulation.node(Self.deviceName)
        switch Binding.current {
        case .simulated:
            let network = SimulatedNetwork(defaults: blueprint.link)
            let host = network.host(Self.deviceName)
            for name in blueprint.peers.map(\.name) + blueprint.hosts.map(\.name) { _ = network.host(name) }
            let disk = SimulatedDisk(node: device)
            disk.conditions = blueprint.disk
            place = .simulated(network, disk)
            monitor = SimulatedNetworkMonitor(of: host)
        case .loopback(let peers):
            place = .loopback(peers, try WorldFolder())
            monitor = SimulatedNetworkMonitor()
        }
    }

    // MARK: The app

    /// The app on the device; another one after each restart.
    ///
    /// - Precondition: It was launched.
    public var app: App {
        guard let app = current.withLock({ $0 }) else { preconditionFailure("the app is not launched") }
        return app
    }

    /// Runs code of the app on the device, and waits for it.
    ///
    /// - Throws: What the code throws, or `NodeCrashed`.
    public func onDevice<Value: Sendable>(
        _ body: @escaping @Sendable (App) async throws -> Value
    ) async throws -> Value {
        let app = app
        return try await device.run { try await body(app) }
    }

    /// Ends the app's process at once, and starts it again on what its disk kept.
    public func restart() async throws {
        device.restart()
        if case .loopback(let peers, _) = place { try await peers.reconnect() }
        try await launch()
    }

    /// Ends the app in good order.
    public func shutdown() async throws {
        let (app, end) = (app, blueprint.shutdown)
        try await device.run { await end(app) }
    }

    private func launch() async throws {
        let (launch, environment) = (blueprint.launch, environment)
        let app = try await device.run { try await launch(environment) }
        current.withLock { $0 = app }
    }

    /// What the app finds on its device.
    public var environment: WorldDevice {
        switch place {
        case .simulated(let network, let disk):
            WorldDevice(
                transport: network.host(Self.deviceName),
                network: monitor,
                files: SimulatedFiles(disk: disk),
                folder: "/" + Self.deviceName,
                databasePath: { disk.databasePath($0) },
                authority: { "\($0):80" }
            )
        case .loopback(let peers, let folder):
            WorldDevice(
                transport: OutsideTransport(peers.transport),
                network: monitor,
                files: SystemFiles(),
                folder: folder.path,
                databasePath: { folder.path + "/" + $0 },
                authority: peers.authority
            )
        }
    }

    // MARK: What goes wrong

    /// The network between the device and the services.
    ///
    /// - Precondition: The world is simulated.
    public var network: SimulatedNetwork { simulated.network }

    /// The disk with the app's files.
    ///
    /// - Precondition: The world is simulated.
    public var disk: SimulatedDisk { simulated.disk }

    /// Injects faults, at a time or at random times.
    ///
    /// - Precondition: The world is simulated.
    public var faults: Faults { Faults(network: network, disks: [disk]) }

    private var simulated: (network: SimulatedNetwork, disk: SimulatedDisk) {
        guard case .simulated(let network, let disk) = place else {
            preconditionFailure("this world stands on real sockets")
        }
        return (network, disk)
    }

    /// Takes the network from the device, as airplane mode does: nothing gets through, and the device knows it.
    ///
    /// - Precondition: The world is simulated.
    public func goOffline() { network.host(Self.deviceName).setAirplaneMode(true) }

    /// Gives the network back; connections that were open stay so, unless they have timed out.
    ///
    /// - Precondition: The world is simulated.
    public func goOnline() { network.host(Self.deviceName).setAirplaneMode(false) }

    /// Arms a fault point of the services or devices, in place of what a plan has armed there.
    ///
    /// - Precondition: The world is simulated and has the point, with such numbers.
    public func arm(
        _ point: String,
        probability: Double = 1,
        values: [String: Double] = [:],
        skipping: Int = 0,
        atMost limit: Int = .max
    ) {
        guard let known = faultPoints.first(where: { $0.name == point }) else {
            preconditionFailure("nothing in this world has a fault point “\(point)”")
        }
        for (name, value) in values {
            precondition(
                known.values.contains { $0.name == name && $0.range.contains(value) },
                "\(point) takes no \(name) of \(value)"
            )
        }
        _ = simulated
        simulation.arm(
            faultPoint: point,
            probability: probability,
            values: values,
            skipping: skipping,
            atMost: limit
        )
    }

    /// Ends the fault that was armed.
    public func disarm(_ point: String) { simulation.disarm(faultPoint: point) }

    /// Ends all faults that are armed and under way, those of a plan too.
    public func heal() { simulation.heal() }

    /// Ends the scenario unless the condition holds, where no faults but the scenario's own disturb the world.
    ///
    /// - Throws: `PropertyViolation`.
    public func checkUndisturbed(
        _ condition: Bool,
        _ property: String,
        _ seen: @autoclosure () -> String
    ) throws {
        if !isDisturbed { try check(condition, property, seen()) }
    }

    private var faultPoints: [PeerFaultPoint] {
        var known: Set<String> = []
        let all = blueprint.peers.flatMap(\.faultPoints) + blueprint.hosts.flatMap(\.faultPoints)
        return all.filter { known.insert($0.name).inserted }
    }

    private var plannedPoints: [PeerPoint] {
        faultPoints.map { point in
            let values = point.values.map { ($0.name, $0.range) }
            return PeerPoint(point.name, values: Dictionary(uniqueKeysWithValues: values))
        }
    }
}

/// A world was asked for where no simulation runs.
public struct OutsideASimulation: Error, CustomStringConvertible {
    /// Says what is missing.
    public init() {}

    /// What to do.
    public var description: String {
        "a world lives in a simulation: use the .simulated trait, or Simulation.run"
    }
}
