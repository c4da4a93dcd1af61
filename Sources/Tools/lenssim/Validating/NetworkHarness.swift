import ArgumentParser
import Conformance
import Foundation
import LinuxNetwork
import LiveTransport
import NetworkMonitorConformance
import Services
import Synchronization
import SystemPrograms
import Transport

extension ValidateCommand {
    /// Runs the suite on what the kernel says of links and routes, and changes them only where it may.
    func network(over transport: LiveTransport) async throws -> ConformanceReport {
        if changeNetwork { try await KernelRoutes.prepare(transport.interfaces()) }
        let all: [NetworkMonitorCapability] = changeNetwork ? [.changes, .disturbances, .ends] : []
        let harness = KernelMonitorHarness(
            mayChange: changeNetwork,
            capabilities: try capabilities(all)
        )
        let report = await NetworkMonitorConformance.suite.report(on: harness)
        if changeNetwork { try await KernelRoutes.clear() }
        return report
    }
}

/// Links and routes of a network in which nothing else depends on them (network_namespaces(7)).
private enum KernelRoutes {
    /// Makes a link with an address, and no default route.
    ///
    /// - Parameter interfaces: Those with addresses.
    /// - Throws: `ValidationError` where there is another link, with an address or without, and where there is no loopback, without which
    ///   no program is run.
    static func prepare(_ interfaces: [NetworkInterface]) async throws {
        guard interfaces.map(\.name) == ["lo"], try links() == ["lo"] else {
            throw ValidationError(
                """
                --change-network takes routes away: run it in a network of its own, with a loopback and nothing else: \
                unshare -r -n sh -c 'ip link set lo up && lenssim validate network --change-network'
                """
            )
        }
        for command in [
            "link add v0 type veth peer name v1", "link set v0 up", "link set v1 up",
            "address add 10.9.0.1/24 dev v0",
        ] { try await ip(command) }
    }

    /// Takes away what ``prepare()`` has made; the other end and the routes go with it.
    static func clear() async throws { try await ip("link delete v0") }

    /// The names of all links of this process's network.
    ///
    /// Source: proc_pid_net(5), of `dev`: two lines of headings, then one for each link, whose name ends with a colon.
    private static func links() throws -> [String] {
        try String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8)
            .split(separator: "\n").dropFirst(2)
            .compactMap { $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces) }
    }

    static func set(_ isConnected: Bool) async throws {
        try await ip(
            isConnected ? "route replace default via 10.9.0.2 dev v0" : "route flush exact default"
        )
    }

    /// Makes changes that leave a network there, or away.
    static func disturb(_ isConnected: Bool) async throws {
        try await ip("address replace 10.9.0.7/24 dev v0")
        if isConnected { try await ip("route replace default via 10.9.0.2 dev v0 metric 100") }
        try await ip("address delete 10.9.0.7/24 dev v0")
    }

    @discardableResult
    private static func ip(_ command: String) async throws -> String {
        let program = SystemProgram("ip", packages: ["iproute2"])
        let arguments = command.split(separator: " ").map(String.init)
        let output = try await program.run(arguments, within: .seconds(30), outputLimit: 1 << 20)
        return String(decoding: output, as: UTF8.self)
    }
}

/// The monitor of this machine.
private struct KernelMonitorHarness: NetworkMonitorHarness {
    /// One that can be released.
    final class Monitor: NetworkMonitor {
        private let base: Mutex<LinuxNetworkMonitor?>

        init() throws(LinuxNetworkError) { base = Mutex(try LinuxNetworkMonitor()) }

        var isConnected: Bool { base.withLock { $0?.isConnected } ?? false }

        func changes() -> AsyncStream<Bool> {
            base.withLock { $0?.changes() } ?? AsyncStream { $0.finish() }
        }

        func release() { base.withLock { $0 = nil } }
    }

    let mayChange: Bool
    let capabilities: Set<NetworkMonitorCapability>

    func makeMonitor(isConnected: Bool) async throws -> Monitor {
        if mayChange { try await KernelRoutes.set(isConnected) }
        let monitor = try Monitor()
        if !mayChange, !monitor.isConnected { throw CaseSkipped("this machine has no network now") }
        return monitor
    }

    func change(_ monitor: Monitor, to isConnected: Bool) async throws {
        try await KernelRoutes.set(isConnected)
    }

    func disturb(_ monitor: Monitor) async throws { try await KernelRoutes.disturb(monitor.isConnected) }

    func end(_ monitor: Monitor) async throws { monitor.release() }
}
