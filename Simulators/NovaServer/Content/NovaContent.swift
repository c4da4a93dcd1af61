/// A person of the start.
public struct NovaUser: Sendable, Hashable {
    /// An opaque text.
    public var id: String
    /// The name by which others find the person, which nobody else has.
    public var username: String
    /// The address to sign in with; others never see it.
    public var email: String
    /// The password to sign in with.
    public var password: String
    /// What others read.
    public var displayName: String
    /// What the person says of itself.
    public var bio: String?
    /// Whether the service draws an avatar.
    public var hasAvatar: Bool

    /// Describes a person.
    public init(
        id: String,
        username: String,
        email: String,
        password: String,
        displayName: String,
        bio: String? = nil,
        hasAvatar: Bool = true
    ) {
        self.id = id
        self.username = username
        self.email = email
        self.password = password
        self.displayName = displayName
        self.bio = bio
        self.hasAvatar = hasAvatar
    }
}

/// A post that is there at the start.
public struct NovaPost: Sendable, Hashable {
    /// An opaque text.
    public var id: String
    /// Who published it.
    public var authorID: String
    /// What is written below the picture.
    public var caption: String?
    /// How many seconds before the start it was published.
    public var age: Int
    /// Whether the service draws its picture; otherwise `image_url` is null.
    public var hasPicture: Bool
    /// Who likes it.
    public var likerIDs: [String]
    /// What was said about it, oldest first.
    public var comments: [NovaComment]

    /// Describes a post.
    public init(
        id: String,
        authorID: String,
        caption: String? = nil,
        age: Int = 60,
        hasPicture: Bool = true,
        likerIDs: [String] = [],
        comments: [NovaComment] = []
    ) {
        self.id = id
        self.authorID = authorID
        self.caption = caption
        self.age = age
        self.hasPicture = hasPicture
        self.likerIDs = likerIDs
        self.comments = comments
    }
}

/// A comment that is there at the start.
public struct NovaComment: Sendable, Hashable {
    /// Who wrote it.
    public var authorID: String
    /// What it says.
    public var text: String
    /// How many seconds before the start it was written.
    public var age: Int

    /// Describes a comment.
    public init(authorID: String, text: String, age: Int) {
        (self.authorID, self.text, self.age) = (authorID, text, age)
    }
}

/// That one person follows another; nobody follows themselves, or anybody twice.
public struct NovaFollow: Sendable, Hashable {
    /// Who follows.
    public var followerID: String
    /// The followed person.
    public var userID: String
    /// For how many seconds before the start.
    public var age: Int

    /// Describes that one person follows another.
    public init(followerID: String, userID: String, age: Int = 3600) {
        (self.followerID, self.userID, self.age) = (followerID, userID, age)
    }
}
