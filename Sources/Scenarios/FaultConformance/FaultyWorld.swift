import FaultPlans
public import SimulatedDisk
public import SimulatedTransport
import Simulation
import Synchronization
public import Transport

/// A simulated network and disks for cases of a suite, which fail once ``FaultSweep`` says so.
///
/// Servers are programs of their hosts: they crash, lose power and stand still, and are there again later, on what they keep in memory, as if
/// it were on a disk.
public final class FaultyWorld: Sendable {
    /// The network.
    ///
    /// Hosts that a case needs must be there before it begins: only links between them fail.
    public let network: SimulatedNetwork
    private let simulation: Simulation
    private let programs = Mutex<[String: Program]>([:])
    private let disks = Mutex<[SimulatedDisk]>([])

    private struct Program: Sendable {
        var servers: [(server: any Server, port: Int)] = []
        var isMortal: Bool
    }

    /// Makes a world without hosts and disks.
    ///
    /// - Precondition: A simulation is current.
    public init() {
        guard let simulation = Simulation.current else {
            preconditionFailure("a world that fails needs a simulation")
        }
        self.simulation = simulation
        network = SimulatedNetwork()
    }

    /// Makes the disk of a node, which lives as long as its simulation: reads, writes and syncs fail, and there is no room.
    ///
    /// - Parameter node: The node's name; it has no other disk.
    public func disk(of node: String) -> SimulatedDisk {
        let disk = SimulatedDisk(node: simulation.node(node))
        disks.withLock { $0.append(disk) }
        return disk
    }

    /// Makes a host whose node runs servers.
    ///
    /// - Parameters:
    ///   - name: The host's and its node's.
    ///   - isMortal: Whether it may crash.
    public func serverHost(_ name: String, isMortal: Bool = true) {
        network.host(name)
        programs.withLock { $0[name] = Program(isMortal: isMortal) }
        simulation.node(name).start { [weak self] in
            for (server, port) in self?.servers(of: name) ?? [] { await self?.listen(server, on: name, port) }
        }
    }

    /// Has a host of ``serverHost(_:isMortal:)`` run one more server; when it is down, from its next start on.
    ///
    /// - Parameters:
    ///   - server: What answers, also after a crash.
    ///   - host: The host's name.
    ///   - port: Where it listens; 0 for a port that no other server of the host has.
    /// - Returns: The host and the port.
    public func serve(_ server: any Server, on host: String, port: Int = 0) async -> SocketAddress {
        let free = programs.withLock { programs in
            let chosen = port == 0 ? 8_000 + (programs[host]?.servers.count ?? 0) : port
            programs[host]?.servers.append((server, chosen))
            return chosen
        }
        // Where it is down, its program will listen.
        try? await simulation.node(host).run { await self.listen(server, on: host, free) }
        return SocketAddress(host: host, port: free)
    }

    private func servers(of host: String) -> [(server: any Server, port: Int)] {
        programs.withLock { $0[host]?.servers ?? [] }
    }

    private func listen(_ server: any Server, on host: String, _ port: Int) async {
        // One that listens already is the same.
        _ = try? await network.host(host).listen(server, at: SocketAddress(host: host, port: port))
    }

    /// Lets things go wrong from now on, as the seed of the simulation draws them.
    func beginFaults() throws {
        var entropy = simulation.entropy("faults of a case")
        // Some cases last milliseconds, some hours.
        let seconds = [0.1, 1, 10][Int.random(in: 0..<3, using: &entropy)]
        let mortals = programs.withLock { $0.filter(\.value.isMortal).keys.sorted() }
        let disks = disks.withLock(\.self)
        let space = FaultSpace(
            hosts: network.hostNames,
            mortalNodes: mortals,
            disks: disks.map(\.node.name),
            seconds: seconds
        )
        try FaultPlan.drawn(over: space, from: &entropy).apply(network: network, disks: disks)
    }

    /// Ends all faults; connections that stand still break.
    func heal() {
        simulation.heal()
        for (index, host) in network.hostNames.enumerated() {
            for other in network.hostNames.dropFirst(index + 1) { network.reset(host, other) }
        }
    }
}
