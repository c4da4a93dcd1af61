public import Services
public import SimulatedTransport

/// What a device says of its network: of its host in the simulated one, or what a test sets.
///
/// - Models: a network that comes and goes, and changes that are reported once.
/// - Does not model: kinds of networks, what a connection costs, networks that need a login, and reports that are late. A device is
///   connected while one of its interfaces is, whatever becomes of what it sends.
/// - Faults: those of the host, such as `SimulatedHost.setAirplaneMode(_:_:)`.
/// - Compared with: `LinuxNetworkMonitor`, whose reports a test makes with a kernel of their own.
public final class SimulatedNetworkMonitor: NetworkMonitor {
    private let reports: NetworkReports

    /// Creates a monitor of a device without a host, for tests that have no network; ``report(isConnected:)`` changes what it says.
    public init(isConnected: Bool = true) { reports = NetworkReports(isConnected: isConnected) }

    /// Creates the monitor of a host, which says what becomes of the host's interfaces.
    public convenience init(of host: SimulatedHost) {
        self.init(isConnected: host.isConnected)
        host.onConnectionChange { [reports] in reports.report(isConnected: $0) }
    }

    /// What was reported last.
    public var isConnected: Bool { reports.isConnected }

    /// Reports that the network is there, or not; what is known already is not reported again.
    public func report(isConnected: Bool) { reports.report(isConnected: isConnected) }

    /// The present state, then each change.
    public func changes() -> AsyncStream<Bool> { reports.changes() }
}
