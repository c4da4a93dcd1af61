internal import Synchronization

/// Whether there is a network, and all who follow it: what monitors have in common.
public final class NetworkReports: NetworkMonitor {
    private struct State {
        var isConnected: Bool
        var hasEnded = false
        var watchers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextWatcher = 0
    }

    /// How many changes wait for a reader that is behind.
    private static let backlog = 16

    private let state: Mutex<State>

    /// Creates one that reports this at first.
    public init(isConnected: Bool) { state = Mutex(State(isConnected: isConnected)) }

    deinit { end() }

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

    /// Ends all streams, those that begin later after their first value: nothing is reported any more.
    public func end() {
        let watchers = state.withLock { state in
            state.hasEnded = true
            return state.watchers.values.map(\.self)
        }
        // Each takes itself off the list.
        for watcher in watchers { watcher.finish() }
    }

    /// The present state, then each change.
    public func changes() -> AsyncStream<Bool> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: Bool.self,
            bufferingPolicy: .bufferingNewest(Self.backlog)
        )
        let number = state.withLock { state -> Int? in
            watcher.yield(state.isConnected)
            guard !state.hasEnded else { return nil }
            let number = state.nextWatcher
            state.nextWatcher += 1
            state.watchers[number] = watcher
            return number
        }
        guard let number else {
            watcher.finish()
            return stream
        }
        watcher.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[number] = nil } }
        return stream
    }
}
