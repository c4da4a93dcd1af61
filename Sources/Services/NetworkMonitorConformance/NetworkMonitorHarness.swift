public import Conformance
public import Services

/// What the suite needs of a monitor's author: how to make one, and how its network changes.
///
/// Only ``makeMonitor(isConnected:)`` and `capabilities` are required:
///
/// ```swift
/// struct MyMonitorHarness: NetworkMonitorHarness {
///     let capabilities: Set<NetworkMonitorCapability> = [.changes]
///     func makeMonitor(isConnected: Bool) async throws -> MyMonitor { MyMonitor(isConnected: isConnected) }
///     func change(_ monitor: MyMonitor, to isConnected: Bool) async throws { … }
/// }
///
/// @Test(arguments: NetworkMonitorConformance.cases)
/// func conforms(_ test: NetworkMonitorConformance.Case) async throws {
///     try await test.run(with: MyMonitorHarness())
/// }
/// ```
public protocol NetworkMonitorHarness: Harness where Capability == NetworkMonitorCapability {
    associatedtype Monitor: NetworkMonitor

    /// The monitor of a device with a network, or without one.
    ///
    /// - Parameter isConnected: `false` only with ``NetworkMonitorCapability/changes``.
    func makeMonitor(isConnected: Bool) async throws -> Monitor

    /// A monitor that says of a device with a network that it will keep it; for ``NetworkMonitorCapability/constant``.
    func makeConstantMonitor() async throws -> Monitor

    /// Gives the device a network, or takes it away; for ``NetworkMonitorCapability/changes``.
    ///
    /// The monitor may say so later.
    func change(_ monitor: Monitor, to isConnected: Bool) async throws

    /// Changes something of the network that leaves it there, or away; for ``NetworkMonitorCapability/disturbances``.
    func disturb(_ monitor: Monitor) async throws

    /// Sees to it that nothing will change any more; for ``NetworkMonitorCapability/ends``.
    func end(_ monitor: Monitor) async throws

    /// Takes down what was made for a monitor.
    func takeDown(_ monitor: Monitor) async
}

/// What not every monitor does, or not every harness can make happen.
public enum NetworkMonitorCapability: String, Sendable, Hashable, CaseIterable {
    /// The network comes and goes.
    case changes
    /// What is known already can be reported again, such as by a second route.
    case disturbances
    /// The changes can come to an end.
    case ends
    /// The monitor is still there after that, and can be asked.
    case remains
    /// There are monitors of which nothing changes, from the beginning.
    case constant
}

extension NetworkMonitorHarness {
    /// The monitor of a device with a network.
    public func makeConstantMonitor() async throws -> Monitor { try await makeMonitor(isConnected: true) }
    /// Nothing is left to take down.
    public func takeDown(_ monitor: Monitor) async {}

    /// Fails: a harness that names a capability must have what it needs.
    public func change(_ monitor: Monitor, to isConnected: Bool) async throws { throw Self.missing("change") }
    /// Fails: a harness that names a capability must have what it needs.
    public func disturb(_ monitor: Monitor) async throws { throw Self.missing("disturb") }
    /// Fails: a harness that names a capability must have what it needs.
    public func end(_ monitor: Monitor) async throws { throw Self.missing("end") }
}
