/// Receives notifications that a provider sends to this device.
///
/// The system shows them, and says which ones people tap.
public protocol PushReceiver: Sendable {
    /// Asks the person for permission to show notifications; returns the answer, at once where it was given before.
    func requestAuthorization() async -> Bool

    /// The tokens by which providers reach this device: the present one as soon as there is one, then each that takes its place.
    ///
    /// A token is any bytes, 32 of them today. It ends with the reader's task.
    func deviceTokens() -> AsyncStream<[UInt8]>

    /// Notifications that have arrived and are shown, each once, from now on; ends with the reader's task.
    func arrivals() -> AsyncStream<PushNotification>

    /// Notifications that the person has tapped, the one included that has started the app; each is given to one reader, and waits for one.
    func taps() -> AsyncStream<PushNotification>
}

/// A notification as it arrives.
public struct PushNotification: Sendable, Hashable {
    /// What tells it from others, such as the `apns-id` of its request.
    public var id: String
    /// What is shown first.
    public var title: String
    /// What is shown below.
    public var body: String
    /// All of it, as JSON, in the form of APNs: an object with `aps` and the provider's own members.
    public var payload: [UInt8]

    /// Makes a value of its parts.
    public init(id: String, title: String, body: String, payload: [UInt8]) {
        (self.id, self.title, self.body, self.payload) = (id, title, body, payload)
    }
}
