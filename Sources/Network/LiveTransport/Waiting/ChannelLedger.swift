package import NIOCore
import Synchronization

/// Knows the open channels of one owner, so that they can be closed and awaited together.
package final class ChannelLedger: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var closed = false
    }

    private let state = Mutex(State())

    /// Knows none yet.
    package init() {}

    /// Keeps the channel until it closes; a channel that comes after ``close()`` is closed at once.
    package func insert(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let closed = state.withLock { state in
            state.channels[id] = channel
            return state.closed
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.channels.removeValue(forKey: id) }
        }
        if closed { channel.close(promise: nil) }
    }

    /// The channels that are open now.
    package var open: [any Channel] { state.withLock { Array($0.channels.values) } }

    /// Whether new channels are refused.
    var isClosed: Bool { state.withLock { $0.closed } }

    /// From now on refuses new channels.
    package func close() { state.withLock { $0.closed = true } }

    /// Waits until all channels have closed.
    package func drain() async {
        for channel in open {
            let closed = Reply<Void>()
            channel.closeFuture.whenComplete { _ in closed.settle(.success(())) }
            _ = await closed.uncancellableResult()
        }
    }
}
