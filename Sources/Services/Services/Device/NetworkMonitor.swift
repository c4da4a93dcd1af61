/// Knows whether the device has a network.
///
/// With one, a service may still be out of reach.
public protocol NetworkMonitor: Sendable {
    /// Whether the device has a network now.
    var isConnected: Bool { get }

    /// Whether it has one now, then each change, once.
    ///
    /// Ends with the reader's task, and where nothing will change any more. A reader that is behind misses old changes,
    /// never the newest.
    func changes() -> AsyncStream<Bool>
}

/// The monitor of a device whose network nobody watches: it counts as connected.
public struct UnwatchedNetwork: NetworkMonitor {
    /// Creates the monitor.
    public init() {}

    /// True.
    public var isConnected: Bool { true }

    /// True, and no change.
    public func changes() -> AsyncStream<Bool> {
        AsyncStream { stream in
            stream.yield(true)
            stream.finish()
        }
    }
}
