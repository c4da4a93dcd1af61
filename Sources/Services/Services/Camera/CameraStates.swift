internal import Synchronization

/// Keeps the state of a camera, and tells it to those who watch.
public final class CameraStates: Sendable {
    private struct Content {
        var state = CameraState.disconnected
        var watchers: [Int: AsyncStream<CameraState>.Continuation] = [:]
        var nextWatcher = 0
    }

    /// How many changes wait for a watcher that is behind.
    private static let backlog = 16

    private let content = Mutex(Content())

    /// Begins with a camera that is off.
    public init() {}

    deinit {
        for watcher in content.withLock({ Array($0.watchers.values) }) { watcher.finish() }
    }

    /// The present state.
    public var state: CameraState { content.withLock(\.state) }

    /// Publishes a new state; one that is the same as before changes nothing.
    public func set(_ state: CameraState) {
        content.withLock { content in
            guard content.state != state else { return }
            content.state = state
            // Under the lock, so that all see the changes in their order.
            for watcher in content.watchers.values { watcher.yield(state) }
        }
    }

    /// The present state and every change.
    public func stream() -> AsyncStream<CameraState> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: CameraState.self,
            bufferingPolicy: .bufferingNewest(Self.backlog)
        )
        let number = content.withLock { content in
            content.nextWatcher += 1
            content.watchers[content.nextWatcher] = watcher
            watcher.yield(content.state)
            return content.nextWatcher
        }
        watcher.onTermination = { [weak self] _ in
            self?.content.withLock { $0.watchers[number] = nil }
        }
        return stream
    }
}
