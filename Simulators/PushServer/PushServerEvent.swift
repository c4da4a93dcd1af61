public import PushWire

/// What has happened at a simulated push service.
public enum PushServerEvent: Sendable, Hashable {
    /// A device has a token, a new one or the one that it had.
    case registered(token: String, environment: PushEnvironment, topic: String)
    /// A token has ended.
    case ended(token: String)
    /// A provider's request was taken with 200.
    case accepted(id: String, token: String)
    /// A provider's request was refused; `id` is its `apns-id`.
    case refused(id: String, status: Int, reason: String)
    /// A notification was sent to its device; more than once where it was not acknowledged.
    case sent(id: String, token: String)
    /// A device has shown it.
    case shown(id: String, token: String)
    /// It is kept no longer without having been shown: a newer one took its place, it has expired, or it was not to be kept.
    case dropped(id: String, token: String)
}
