internal import Foundation
internal import Nova
internal import NovaPage
internal import PhotoEditing

/// What was done on a screen of Nova, in words for people.
enum NovaWords {
    private static let closedAlert = "Closed the alert"
    private static let openedPost = "Opened a post"
    private static let openedComments = "Opened the comments"
    private static let openedPerson = "Opened a person"

    /// The most characters of what somebody has typed.
    private static let typedLimit = 40

    private static func quoted(_ text: String) -> String {
        "“\(text.prefix(typedLimit))\(text.count > typedLimit ? "…" : "")”"
    }

    static func root(_ action: RootViewModel.Action) -> String {
        switch action {
        case .select(let tab): "Opened \(tab.rawValue.capitalized)"
        case .navigate(.postDetail): openedPost
        case .navigate(.comments): openedComments
        case .navigate(.profile): openedPerson
        case .navigate(.editProfile): "Began to edit the profile"
        case .back: "Went back"
        case .dismissNotice: "Closed a notice"
        case .signOut: "Signed out"
        }
    }

    static func signIn(_ action: SignInViewModel.Action) -> String {
        switch action {
        case .setMode(let mode): mode == .signUp ? "Chose to sign up" : "Chose to sign in"
        case .setUsername: "Typed a name"
        case .setEmail: "Typed an e-mail address"
        case .setPassword: "Typed a password"
        case .submit: "Signed in"
        case .signInWithApple: "Signed in with Apple"
        case .dismissAlert: closedAlert
        }
    }

    static func feed(_ action: FeedViewModel.Action) -> String {
        switch action {
        case .load: "Loaded the feed"
        case .refresh: "Refreshed the feed"
        case .appeared: "Saw a post"
        case .loadMore: "Loaded earlier posts"
        case .toggleLike: "Liked a post, or took that back"
        case .open: openedPost
        case .openComments: openedComments
        case .openProfile: openedPerson
        }
    }

    static func search(_ action: SearchViewModel.Action) -> String {
        switch action {
        case .setQuery(let text): text.isEmpty ? "Emptied the search" : "Searched for \(quoted(text))"
        case .retry: "Searched again"
        case .loadMore: "Loaded more people"
        case .open: openedPerson
        }
    }

    static func create(_ action: CreateViewModel.Action) -> String {
        switch action {
        case .pick: "Looked for a photo"
        case .setCrop: "Cropped the photo"
        case .setFilter(let filter): "Chose the filter \(filter.rawValue)"
        case .applyEdit: "Took the photo as it was edited"
        case .back: "Went back to the photo"
        case .setCaption(let text): text.isEmpty ? "Emptied the caption" : "Wrote \(quoted(text))"
        case .publish: "Published the post"
        case .retryUpload: "Tried an upload again"
        case .discardUpload: "Discarded an upload"
        case .dismissAlert: closedAlert
        }
    }

    static func notifications(_ action: NotificationsViewModel.Action) -> String {
        switch action {
        case .load: "Loaded the notifications"
        case .loadMore: "Loaded earlier notifications"
        case .tap: "Tapped a notification"
        }
    }

    static func profile(_ action: ProfileViewModel.Action) -> String {
        switch action {
        case .load: "Loaded the profile"
        case .open: openedPost
        case .edit: "Began to edit the profile"
        }
    }

    static func post(_ action: PostDetailViewModel.Action) -> String {
        switch action {
        case .load: "Loaded the post"
        case .toggleLike: "Liked the post, or took that back"
        case .openComments: openedComments
        case .openAuthor: openedPerson
        }
    }

    static func comments(_ action: CommentsViewModel.Action) -> String {
        switch action {
        case .load: "Loaded the comments"
        case .loadMore: "Loaded earlier comments"
        case .setText(let text): text.isEmpty ? "Emptied the comment" : "Wrote \(quoted(text))"
        case .send: "Sent the comment"
        case .retry: "Sent a comment again"
        case .discard: "Discarded a comment"
        case .openProfile: openedPerson
        }
    }

    static func editProfile(_ action: EditProfileViewModel.Action) -> String {
        switch action {
        case .setDisplayName: "Typed a name"
        case .setBio: "Wrote about themselves"
        case .pickAvatar: "Looked for a picture"
        case .save: "Saved the profile"
        case .cancel: "Left the profile as it was"
        case .dismissAlert: closedAlert
        }
    }

    static func photos(_ action: PhotoScreen.Action) -> String {
        switch action {
        case .pick: "Picked a photo"
        case .show: "Saw the photo"
        }
    }

    static func presence(_ action: PresenceScreen.Action) -> String {
        switch action {
        case .setVisible(let isVisible): isVisible ? "Came back to the page" : "Left the page"
        }
    }
}
