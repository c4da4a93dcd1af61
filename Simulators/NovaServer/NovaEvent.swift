public import PeerKit

/// What has happened at the simulated Nova.
public enum NovaEvent: Sendable, Hashable {
    /// A request has reached the service: its path with the query, what follows `Bearer `, its idempotency key as it came, and its body where that is JSON.
    case requested(method: String, path: String, token: String?, key: String?, body: JSONValue?)
    /// A request was refused with a status and the word that its body has for it.
    case refused(path: String, status: Int, error: String)
    /// The answer to an earlier request with the same idempotency key was given again.
    case replayed(path: String, key: String)
    /// Somebody has a new account.
    case signedUp(userID: String)
    /// Somebody has signed in.
    case signedIn(userID: String)
    /// Somebody has signed out, with one of their sign-ins.
    case signedOut(userID: String)
    /// A refresh token was exchanged.
    case refreshed(userID: String)
    /// A refresh token that was exchanged already gave the same pair again, by the grace of the project.
    case graceGiven(userID: String)
    /// A refresh token that was exchanged already was refused, and ended all tokens of its sign-in.
    case reuseRefused(userID: String)
    /// An address for an upload was given.
    case presigned(fileKey: String, userID: String)
    /// A post is there.
    case posted(postID: String, userID: String)
    /// A post is gone.
    case postRemoved(postID: String)
    /// Somebody likes a post who did not before.
    case liked(postID: String, userID: String)
    /// Somebody does not like a post any more.
    case unliked(postID: String, userID: String)
    /// A comment is there.
    case commented(commentID: String, postID: String, userID: String)
    /// Somebody follows a person.
    case followed(userID: String, followerID: String)
    /// Somebody has a notification.
    case notified(userID: String, type: String)
    /// Somebody has changed their profile.
    case profileChanged(userID: String)
    /// An account is gone, with all that belonged to it.
    case accountRemoved(userID: String)
    /// So many events of analytics were taken; repetitions are not counted.
    case eventsAccepted(count: Int)
}
