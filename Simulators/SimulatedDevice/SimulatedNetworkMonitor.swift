public import Services
internal import Synchronization

/// What a device says of its network, as a test or a scenario tells it to.
///
/// - Models: a network that comes and goes, and changes that are reported once.
/// - Does not model: kinds of networks, what a connection costs, networks that need a login. It only reports: what is sent does not
///   depend on it (`SimulatedHost.setAirplaneMode(_:_:)` is for that).
/// - Faults: none of its own; a report that is late or wrong is one that the test makes so.
/// - Not compared with a real monitor.
public final class SimulatedNetworkMonitor: NetworkMonitor {
    private struct State {
        var isConnected: Bool
        var watchers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextWatcher = 0
    }

    /// How many changes wait for a reader that is behind.
    private static let backlog = 16

    private let state: Mutex<State>

    /// Creates a monitor that reports this at first.
    public init(isConnected: Bool = true) { state = Mutex(State(isConnected: isConnected)) }

    deinit { for watcher in state.withLock({ Array($0.watchers.values) }) { watcher.finish() } }

    /// What was reported last.
    public var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Reports that the network is there, or not; what is known already is not reported again.
    public func report(isConnected: Bool) {
        state.withLock { state in
            guard state.isConnected != isConnected else { return }
            state.isConnected = isConnected
            for number in state.watchers.keys.sorted() { state.watchers[number]?.yield(isConnected) }
        }
    }

    /// The present state, then each change.
    public func changes() -> AsyncStream<Bool> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: Bool.self,
            bufferingPolicy: .bufferingNewest(Self.backlog)
        )
        let number = state.withLock { state in
            let number = state.nextWatcher
            state.nextWatcher += 1
            state.watchers[number] = watcher
            watcher.yield(state.isConnected)
            return number
        }
        watcher.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[number] = nil } }
        return stream
    }
}
