public import Services
internal import Synchronization

extension DeviceCall where Request == NetworkRequest, Reply == NetworkReply {
    /// What the device says of its network.
    public static var network: Self { Self("network", title: "the network monitor") }
}

/// What is asked of a network monitor.
public enum NetworkRequest: Codable, Hashable, Sendable, CustomStringConvertible {
    /// Whether there is a network now.
    case now
    /// Waits until there is one, or none any more.
    case change

    /// What is asked.
    public var description: String {
        switch self {
        case .now: "now"
        case .change: "change"
        }
    }
}

/// What a network monitor says.
public struct NetworkReply: Codable, Sendable {
    /// Whether there is a network; `nil` where nothing will change any more.
    var isConnected: Bool?
}

/// A network monitor outside the simulation, or what it said when a session was recorded.
public final class RecordedNetworkMonitor: NetworkMonitor {
    private let reports: NetworkReports
    private let calls: any DeviceCalls<NetworkRequest, NetworkReply>
    /// The monitor outside; `nil` in a replay.
    private let monitor: (any NetworkMonitor)?

    /// Records what a monitor says.
    public init(_ calls: any DeviceCalls<NetworkRequest, NetworkReply>, monitor: any NetworkMonitor) {
        (self.calls, self.monitor) = (calls, monitor)
        let now = calls.ask(.now) { NetworkReply(isConnected: monitor.isConnected) }
        reports = NetworkReports(isConnected: now?.isConnected ?? true)
    }

    /// Says what the monitor of a recording said.
    public init(_ calls: any DeviceCalls<NetworkRequest, NetworkReply>) {
        (self.calls, monitor) = (calls, nil)
        reports = NetworkReports(isConnected: calls.ask(.now) { NetworkReply() }?.isConnected ?? true)
    }

    /// Whether the device has a network now.
    public var isConnected: Bool { reports.isConnected }

    /// Whether it has one now, then each change.
    public func changes() -> AsyncStream<Bool> { reports.changes() }

    /// Takes over whatever differs from what was reported last, until the task is cancelled or nothing will change any more.
    ///
    /// Without it nothing changes. Runs once, inside the session.
    public func follow() async {
        while !Task.isCancelled {
            let known = reports.isConnected
            let reply = await calls.call(.change) { [monitor] in
                NetworkReply(isConnected: await monitor?.changes().first { $0 != known })
            }
            guard let isConnected = reply?.isConnected else { break }
            reports.report(isConnected: isConnected)
        }
        reports.end()
    }
}
