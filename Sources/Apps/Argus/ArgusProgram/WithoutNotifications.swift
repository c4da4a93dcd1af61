import Services

/// A device that no push service knows: nothing is asked, and nothing arrives.
struct WithoutNotifications: PushReceiver {
    func requestAuthorization() async -> Bool { false }

    func deviceTokens() -> AsyncStream<[UInt8]> { AsyncStream { $0.finish() } }

    func arrivals() -> AsyncStream<PushNotification> { AsyncStream { $0.finish() } }

    func taps() -> AsyncStream<PushNotification> { AsyncStream { $0.finish() } }
}
