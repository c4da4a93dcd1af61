public import Services

/// A device that no push service knows: nothing is asked, and nothing arrives.
public struct WithoutNotifications: PushReceiver {
    /// Creates the receiver.
    public init() {}

    /// False.
    public func requestAuthorization() async -> Bool { false }

    /// None.
    public func deviceTokens() -> AsyncStream<[UInt8]> { AsyncStream { $0.finish() } }

    /// None.
    public func arrivals() -> AsyncStream<PushNotification> { AsyncStream { $0.finish() } }

    /// None.
    public func taps() -> AsyncStream<PushNotification> { AsyncStream { $0.finish() } }
}
