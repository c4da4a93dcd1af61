public import PeerKit

/// What has happened at the simulated hub.
public enum ArgusHubEvent: Sendable, Hashable {
    /// A request has reached the hub: its path with the query, what follows `Bearer `, and its body where that is JSON.
    case requested(method: String, path: String, token: String?, body: JSONValue?)
    /// A request was refused with a status.
    case refused(path: String, status: Int)
    /// A device was paired.
    case paired(device: String, name: String)
    /// A refresh token was used for the first time.
    case refreshed(device: String)
    /// A refresh token that was used already was taken, by the grace of the project.
    case graceGiven(device: String)
    /// A refresh token that was used already was refused.
    case reuseRefused(device: String, revokesFamily: Bool)
    /// So many refresh tokens of a device were revoked.
    case revoked(device: String, count: Int)
    /// A device has a push token, in place of any other that it had.
    case pushRegistered(device: String, token: String)
    /// A device has no push token any more, as it wanted.
    case pushUnregistered(device: String)
    /// An event was added.
    case eventAdded(id: String)
    /// An event was removed.
    case eventRemoved(id: String)
    /// A push was taken by the push service.
    case pushDelivered(device: String, eventID: String)
    /// A push is sent once more after a time; `retry` counts from 1.
    case pushRetried(device: String, eventID: String, retry: Int)
    /// A push was given up after all retries, or since its token was replaced.
    case pushGivenUp(device: String, eventID: String)
    /// A payload of more than 4,096 bytes was not sent.
    case pushTooLarge(eventID: String, bytes: Int)
    /// The push service has refused a token, and the hub forgot it.
    case pushTokenDropped(device: String, token: String)
    /// The push service has said that a token was unregistered before the device registered it, and the hub kept it.
    case pushTokenKept(device: String, token: String)
}
