import Foundation
import PeerKit

/// A person with an account.
struct Account: Sendable, Codable {
    /// What is shown of the person.
    enum Avatar: Sendable, Codable {
        case none
        case drawn
        /// One that was sent, with a number that makes its address new.
        case sent(number: Int, type: String, bytes: Data)
    }

    let id: String
    var username: String
    /// In small letters; `nil` for somebody who came by way of Apple without one.
    var email: String?
    var password: PasswordDigest?
    /// Who the person is to Apple.
    var appleSubject: String?
    var displayName: String
    var bio: String?
    var avatar: Avatar = .none
    /// Oldest first.
    var postIDs: [String] = []
    var followers: Set<String> = []
    var following: Set<String> = []
    var notifications = BoundedLog<NotificationRow>(capacity: 1000)
    /// Whose likes of which posts the person knows of.
    var knownLikes: Set<LikeOfPost> = []
}

/// That somebody likes a post.
struct LikeOfPost: Sendable, Hashable, Codable {
    let userID: String
    let postID: String
}

/// A post.
struct PostRow: Sendable, Codable {
    /// Where its picture is.
    enum Picture: Sendable, Hashable, Codable {
        case none
        case drawn
        /// An object of the storage.
        case object(String)
    }

    let id: String
    let authorID: String
    let picture: Picture
    let caption: String?
    let created: Date
    var likers: Set<String> = []
    /// Oldest first.
    var comments: [CommentRow] = []
}

/// A comment on a post.
struct CommentRow: Sendable, Codable {
    let id: String
    let authorID: String
    let text: String
    let created: Date
}

/// A notification.
struct NotificationRow: Sendable, Codable {
    let id: String
    let type: String
    let actorID: String
    let postID: String?
    let commentID: String?
    let isRead: Bool
    let created: Date
}

/// The account of a person at the service, as tests see it.
public struct NovaAccountSnapshot: Sendable, Hashable {
    /// An opaque text.
    public let id: String
    /// The name by which others find the person.
    public let username: String
    /// What others read.
    public let displayName: String
    /// What the person says of itself.
    public let bio: String?
    /// The bytes of an avatar that was sent.
    public let avatar: [UInt8]?
    /// Who follows the person.
    public let followerIDs: Set<String>
    /// The types of the notifications, newest first.
    public let notificationTypes: [String]

    init(_ account: Account) {
        id = account.id
        username = account.username
        displayName = account.displayName
        bio = account.bio
        avatar = if case .sent(_, _, let bytes) = account.avatar { Array(bytes) } else { nil }
        followerIDs = account.followers
        notificationTypes = account.notifications.entries.reversed().map(\.type)
    }
}

/// A post at the service, as tests see it.
public struct NovaPostSnapshot: Sendable, Hashable {
    /// An opaque text.
    public let id: String
    /// Who published it.
    public let authorID: String
    /// The key of its picture in the storage, where it was uploaded.
    public let imageKey: String?
    /// What is written below the picture.
    public let caption: String?
    /// Who likes it.
    public let likerIDs: Set<String>
    /// The texts of its comments, newest first.
    public let comments: [String]

    init(_ post: PostRow) {
        id = post.id
        authorID = post.authorID
        imageKey = if case .object(let key) = post.picture { key } else { nil }
        caption = post.caption
        likerIDs = post.likers
        comments = post.comments.reversed().map(\.text)
    }
}
