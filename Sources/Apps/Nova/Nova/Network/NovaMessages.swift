internal import Foundation

/// What signs somebody in, and what a refresh brings.
struct TokenPair: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }
}

/// The answer to a sign-in.
struct SignedIn: Decodable, Sendable {
    var tokens: TokenPair
    var user: User

    init(from decoder: any Decoder) throws {
        tokens = try TokenPair(from: decoder)
        user = try decoder.container(keyedBy: CodingKeys.self).decode(User.self, forKey: .user)
    }

    private enum CodingKeys: String, CodingKey { case user }
}

/// A page of a list: `{posts:[…],has_more}`, under whichever of these names.
struct Page<Item: Codable & Sendable>: Codable, Sendable {
    var items: [Item]
    var hasMore: Bool

    init(items: [Item], hasMore: Bool) { (self.items, self.hasMore) = (items, hasMore) }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let name = [CodingKeys.posts, .comments, .users, .notifications].first { fields.contains($0) }
        items = try fields.decode([Item].self, forKey: name ?? .posts)
        hasMore = try fields.decode(Bool.self, forKey: .hasMore)
    }

    /// Writes it as a page of posts, in which form the cache keeps it.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(items, forKey: .posts)
        try fields.encode(hasMore, forKey: .hasMore)
    }

    private enum CodingKeys: String, CodingKey {
        case posts, comments, users, notifications
        case hasMore = "has_more"
    }
}

/// A person with their newest posts.
struct Profile: Decodable, Sendable {
    var user: User
    var posts: [Post]

    init(from decoder: any Decoder) throws {
        user = try User(from: decoder)
        posts =
            try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent([Post].self, forKey: .posts) ?? []
    }

    private enum CodingKeys: String, CodingKey { case posts }
}

/// Where a picture may be put, and until when.
struct Presigned: Codable, Hashable, Sendable {
    /// A secret: whoever has it may write there.
    var uploadURL: String
    /// What the picture is called afterwards.
    var fileKey: String
    /// When the address ends, by this device's clock; the answer gives it by the service's.
    var ends: Date
}

/// The answer to a request for a place.
struct PresignAnswer: Decodable, Sendable {
    var uploadURL: String
    var fileKey: String
    @NovaTime var expiresAt: Date

    enum CodingKeys: String, CodingKey {
        case uploadURL = "upload_url"
        case fileKey = "file_key"
        case expiresAt = "expires_at"
    }
}

/// The answer to a comment and to a post.
struct Created: Codable, Hashable, Sendable {
    var id: String
    var imageURL: String?
    @NovaTime var createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case imageURL = "image_url"
        case createdAt = "created_at"
    }
}

/// An answer of which nothing but its being JSON matters: `{}`.
struct Acknowledged: Decodable, Sendable {}
