/// Something that is shown over a tab.
public enum Route: Codable, Hashable, Sendable {
    /// A post.
    case postDetail(postID: String)
    /// The comments on a post.
    case comments(postID: String)
    /// A person and their posts.
    case profile(userID: String)
    /// The form of one's own profile.
    case editProfile
}

/// The parts of the app for a signed-in person.
public enum NovaTab: String, Codable, Hashable, Sendable, CaseIterable {
    case feed, search, create, notifications, profile
}
