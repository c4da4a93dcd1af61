public import Foundation

/// What the hub's pushes go to, such as a simulated APNs.
public protocol HubPushes: Sendable {
    /// Sends one push. The hub calls it once for each device, and again with the same push when it is to be retried.
    func send(_ push: HubPush) async -> HubPushOutcome
}

/// A notification for one device.
public struct HubPush: Sendable, Hashable {
    /// A UUID in small letters, the same in each retry: `apns-id`.
    public let id: String
    /// The device's token, lower-case hexadecimal.
    public let token: String
    /// The event that it is about.
    public let eventID: String
    /// JSON of at most 4,096 bytes: `aps.alert.title`, `aps.alert.body`, and `event_id` beside `aps`.
    public let payload: [UInt8]

    /// Describes a notification.
    public init(id: String, token: String, eventID: String, payload: [UInt8]) {
        self.id = id
        self.token = token
        self.eventID = eventID
        self.payload = payload
    }
}

/// What has come of a push.
public enum HubPushOutcome: Sendable, Hashable {
    /// The service has it (200); whether the device shows it is not known.
    case delivered
    /// The service does not know the token, or it belongs to another environment or app (400).
    case badDeviceToken
    /// The token was no longer valid at that time (410); one that was registered later is kept.
    case unregistered(Date)
    /// Not now (429, 5xx, no connection); the hub waits at least that long, up to an hour.
    case retry(after: Duration = .zero)
    /// Not at all, whatever is done (403, 413): a mistake of the hub, or of its keys.
    case refused
}
