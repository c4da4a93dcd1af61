/// Time since a session's start, which recording and replay measure in the same way.
public struct SessionClock: Sendable {
    private let start: ContinuousClock.Instant

    /// Starts now.
    public init() { start = .now }

    /// Nanoseconds since the start.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Sleeps until a moment; returns at once when it has passed.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until nanoseconds: Int64) async throws {
        try await Task.sleep(until: start + .nanoseconds(nanoseconds))
    }
}
