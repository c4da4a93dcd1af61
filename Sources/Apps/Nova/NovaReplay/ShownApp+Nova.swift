internal import Nova
internal import NovaPage
public import SessionPage
internal import SessionRecording

extension ShownApp {
    /// Nova.
    ///
    /// The pictures of posts and people, which the page fetches for itself, are in no recording.
    public static let nova = ShownApp(
        .nova,
        screens: [
            ShownScreen("root", RootViewModel.self, words: NovaWords.root),
            ShownScreen("signIn", SignInViewModel.self, words: NovaWords.signIn),
            ShownScreen("feed", FeedViewModel.self, words: NovaWords.feed),
            ShownScreen("search", SearchViewModel.self, words: NovaWords.search),
            ShownScreen("create", CreateViewModel.self, words: NovaWords.create),
            ShownScreen("notifications", NotificationsViewModel.self, words: NovaWords.notifications),
            ShownScreen("profile", ProfileViewModel.self, words: NovaWords.profile),
            ShownScreen("post", PostDetailViewModel.self, words: NovaWords.post),
            ShownScreen("comments", CommentsViewModel.self, words: NovaWords.comments),
            ShownScreen("editProfile", EditProfileViewModel.self, words: NovaWords.editProfile),
            ShownScreen("photos", PhotoScreen.self, words: NovaWords.photos),
            ShownScreen("presence", PresenceScreen.self, words: NovaWords.presence),
        ]
    ) { (path, _, _) throws(SessionError) in
        let folders: Set<Substring> = ["pictures", "drafts", "avatar", "library"]
        return path.split(separator: "/").first.map(folders.contains) == true ? .missing : nil
    }
}
