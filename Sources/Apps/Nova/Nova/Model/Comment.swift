public import Foundation

/// A comment on a post, as Nova describes it.
public struct Comment: Codable, Hashable, Sendable, Identifiable {
    /// What Nova calls it: any text, compared as it is.
    public var id: String
    /// The post, by its ``Post/id``.
    public var postID: String
    /// The person that has written it.
    public var author: User
    /// What is written.
    public var text: String
    /// When it was written.
    @NovaTime public var createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id, author, text
        case postID = "post_id"
        case createdAt = "created_at"
    }
}
