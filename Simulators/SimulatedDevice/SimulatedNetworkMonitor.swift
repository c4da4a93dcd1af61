public import Services

/// What a device says of its network, as a test or a scenario tells it to.
///
/// - Models: a network that comes and goes, and changes that are reported once.
/// - Does not model: kinds of networks, what a connection costs, networks that need a login. It only reports: what is sent does not
///   depend on it (`SimulatedHost.setAirplaneMode(_:_:)` is for that).
/// - Faults: none of its own; a report that is late or wrong is one that the test makes so.
/// - Compared with: `LinuxNetworkMonitor`, whose reports a test makes with a kernel of their own.
public final class SimulatedNetworkMonitor: NetworkMonitor {
    private let reports: NetworkReports

    /// Creates a monitor that reports this at first.
    public init(isConnected: Bool = true) { reports = NetworkReports(isConnected: isConnected) }

    /// What was reported last.
    public var isConnected: Bool { reports.isConnected }

    /// Reports that the network is there, or not; what is known already is not reported again.
    public func report(isConnected: Bool) { reports.report(isConnected: isConnected) }

    /// The present state, then each change.
    public func changes() -> AsyncStream<Bool> { reports.changes() }
}
