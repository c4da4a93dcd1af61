public import Foundation

/// What has come of a notification.
public enum PushOutcome: Sendable, Hashable {
    /// The service has it; whether the device shows it is not known.
    case accepted
    /// The service does not know the token, or it belongs to another environment or app: it is to be dropped.
    case badDeviceToken
    /// The token was no longer valid at that time: it is to be dropped, unless it was registered later.
    case unregistered(since: Date)
    /// Not now: it may be sent again, with the same ID, after that time at least. It may have arrived.
    case later(after: Duration, reason: String)
    /// The service will not take it, whatever is done: a mistake of this provider, or of its keys.
    case refused(status: Int, reason: String)
    /// The payload has so many bytes, which are too many: it was not sent.
    case tooLarge(bytes: Int)
}
