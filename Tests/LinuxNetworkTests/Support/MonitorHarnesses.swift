import Conformance
import NetworkMonitorConformance
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import Transport

/// What monitors have in common.
struct ReportsHarness: NetworkMonitorHarness {
    let capabilities: Set<NetworkMonitorCapability> = [.changes, .disturbances, .ends, .remains]

    func makeMonitor(isConnected: Bool) async throws -> NetworkReports {
        NetworkReports(isConnected: isConnected)
    }

    func change(_ monitor: NetworkReports, to isConnected: Bool) async throws {
        monitor.report(isConnected: isConnected)
    }

    func disturb(_ monitor: NetworkReports) async throws {
        monitor.report(isConnected: monitor.isConnected)
    }

    func end(_ monitor: NetworkReports) async throws { monitor.end() }
}

/// A device whose network nobody watches.
struct UnwatchedHarness: NetworkMonitorHarness {
    let capabilities: Set<NetworkMonitorCapability> = [.constant]

    func makeMonitor(isConnected: Bool) async throws -> UnwatchedNetwork { UnwatchedNetwork() }
}

/// A device without a host, of which a test says whether it has a network.
struct ScriptedMonitorHarness: NetworkMonitorHarness {
    let capabilities: Set<NetworkMonitorCapability> = [.changes, .disturbances]

    func makeMonitor(isConnected: Bool) async throws -> SimulatedNetworkMonitor {
        SimulatedNetworkMonitor(isConnected: isConnected)
    }

    func change(_ monitor: SimulatedNetworkMonitor, to isConnected: Bool) async throws {
        monitor.report(isConnected: isConnected)
    }

    func disturb(_ monitor: SimulatedNetworkMonitor) async throws {
        monitor.report(isConnected: monitor.isConnected)
    }
}

/// A host of the simulated network, whose interfaces come and go.
struct HostMonitorHarness: NetworkMonitorHarness {
    final class HostMonitor: NetworkMonitor {
        let host: SimulatedHost
        let subnet: SimulatedSubnet
        private let monitor: SimulatedNetworkMonitor

        init(_ host: SimulatedHost, _ subnet: SimulatedSubnet) {
            (self.host, self.subnet) = (host, subnet)
            monitor = SimulatedNetworkMonitor(of: host)
        }

        var isConnected: Bool { monitor.isConnected }
        func changes() -> AsyncStream<Bool> { monitor.changes() }
    }

    let capabilities: Set<NetworkMonitorCapability> = [.changes, .disturbances]

    func makeMonitor(isConnected: Bool) async throws -> HostMonitor {
        let network = SimulatedNetwork()
        let host = network.host("phone")
        guard let prefix = IPSubnet("10.7.0.0/24") else { preconditionFailure("it is a prefix") }
        let subnet = network.subnet("home", prefix)
        host.attach("wlan0", to: subnet)
        if !isConnected { host.setAirplaneMode(true) }
        return HostMonitor(host, subnet)
    }

    /// A change takes its time.
    func change(_ monitor: HostMonitor, to isConnected: Bool) async throws {
        try await Task.sleep(for: .milliseconds(.random(in: 0...50)))
        monitor.host.setAirplaneMode(!isConnected)
    }

    /// A second interface, and nothing new where all are off.
    func disturb(_ monitor: HostMonitor) async throws {
        if monitor.isConnected {
            monitor.host.attach("eth0", to: monitor.subnet)
        } else {
            monitor.host.setAirplaneMode(true)
        }
    }
}
