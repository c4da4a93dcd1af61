public import Foundation

/// Something that concerns the signed-in person, as Nova tells it.
public struct NovaNotification: Codable, Hashable, Sendable, Identifiable {
    /// What Nova calls it: any text, compared as it is.
    public var id: String
    /// What has happened: `like`, `comment`, `follow`, or a word that this app does not know.
    public var type: String
    /// The person that has done it.
    public var actor: User
    /// The post that it concerns; `nil` where there is none.
    public var postID: String?
    /// The comment that it is about; `nil` where there is none.
    public var commentID: String?
    /// Whether it was read.
    public var isRead: Bool
    /// When it was.
    @NovaTime public var createdAt: Date

    /// Where a tap leads; `nil` for what this app does not know.
    var route: Route? {
        switch type {
        case "like": postID.map { .postDetail(postID: $0) }
        case "comment": postID.map { .comments(postID: $0) }
        case "follow": .profile(userID: actor.id)
        default: nil
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, type, actor
        case postID = "post_id"
        case commentID = "comment_id"
        case isRead = "is_read"
        case createdAt = "created_at"
    }
}
