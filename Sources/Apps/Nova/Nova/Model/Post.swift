public import Foundation

/// A post, as Nova describes it to the signed-in person.
public struct Post: Codable, Hashable, Sendable, Identifiable {
    /// What Nova calls it: any text, compared as it is.
    public var id: String
    /// The person that has published it.
    public var author: User
    /// Where its picture is; `nil` where there is none.
    public var imageURL: String?
    /// What stands below the picture; `nil` for nothing.
    public var caption: String?
    /// How many like it, at least 0.
    public var likeCount: Int
    /// How many comments there are, at least 0.
    public var commentCount: Int
    /// Whether the signed-in person likes it.
    public var isLiked: Bool
    /// When it was published.
    @NovaTime public var createdAt: Date

    /// The same post as it is after a wish of the signed-in person.
    ///
    /// The count changes only where Nova has another answer than the wish, and is never below 0.
    func liked(_ isLiked: Bool) -> Post {
        guard isLiked != self.isLiked else { return self }
        var post = self
        post.isLiked = isLiked
        post.likeCount = max(0, likeCount &+ (isLiked ? 1 : -1))
        return post
    }

    enum CodingKeys: String, CodingKey {
        case id, author, caption
        case imageURL = "image_url"
        case likeCount = "like_count"
        case commentCount = "comment_count"
        case isLiked = "is_liked"
        case createdAt = "created_at"
    }
}
