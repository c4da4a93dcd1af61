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
    private let changed: @concurrent @Sendable (_ known: Bool) async -> Bool?

    /// Records what a monitor says.
    public init(_ calls: DeviceCallRecorder<NetworkRequest, NetworkReply>, monitor: any NetworkMonitor) {
        self.calls = calls
        let now = calls.ask(.now) { NetworkReply(isConnected: monitor.isConnected) }
        reports = NetworkReports(isConnected: now?.isConnected ?? true)
        changed = { known in
            for await isConnected in monitor.changes() where isConnected != known { return isConnected }
            return nil
        }
    }

    /// Says what the monitor of a recording said.
    public init(_ calls: DeviceCallReplayer<NetworkRequest, NetworkReply>) {
        self.calls = calls
        reports = NetworkReports(isConnected: calls.ask(.now) { NetworkReply() }?.isConnected ?? true)
        changed = { _ in nil }
    }

    /// Whether the device has a network now.
    public var isConnected: Bool { reports.isConnected }

    /// Whether it has one now, then each change.
    public func changes() -> AsyncStream<Bool> { reports.changes() }

    /// Takes over each change, until the task is cancelled or nothing will change any more.
    ///
    /// Without it nothing changes. Runs once, inside the session.
    public func follow() async {
        while !Task.isCancelled {
            let known = reports.isConnected
            let reply = await calls.call(.change) { [changed] in
                NetworkReply(isConnected: await changed(known))
            }
            guard let isConnected = reply?.isConnected else { break }
            reports.report(isConnected: isConnected)
        }
        reports.end()
    }
}
