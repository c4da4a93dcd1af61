/// A person, as Nova describes them.
///
/// Further members of answers are passed over, here as everywhere.
public struct User: Codable, Hashable, Sendable, Identifiable {
    /// What Nova calls the person: any text, compared as it is.
    public var id: String
    /// What the person is found by.
    public var username: String
    /// What is shown.
    public var displayName: String
    /// Where the portrait is; `nil` where there is none.
    public var avatarURL: String?
    /// What the person says of themselves; `nil` where that is nothing.
    public var bio: String?
    /// How many follow the person; `nil` where Nova does not say.
    public var followersCount: Int?
    /// How many the person follows; `nil` where Nova does not say.
    public var followingCount: Int?
    /// How many posts there are of the person; `nil` where Nova does not say.
    public var postsCount: Int?

    /// A person of which the name is known at most.
    public init(id: String, username: String = "", displayName: String = "") {
        (self.id, self.username, self.displayName) = (id, username, displayName)
    }

    enum CodingKeys: String, CodingKey {
        case id, username, bio
        case displayName = "display_name"
        case avatarURL = "avatar_url"
        case followersCount = "followers_count"
        case followingCount = "following_count"
        case postsCount = "posts_count"
    }
}
