import Foundation
public import PeerKit

// What tests, worlds and scripts see and do at the service.
extension NovaServer {
    // MARK: Watching

    /// What has happened, oldest first.
    public var log: [NovaEvent] { withState { $0.log.entries } }

    /// How many requests have come, of any kind; those too that a fault of the way kept from the service.
    public var requestCount: Int { withState { $0.requestCount } }

    /// The posts, newest first.
    public var posts: [NovaPostSnapshot] {
        withState { state in
            state.order.reversed().compactMap { state.posts[$0].map { NovaPostSnapshot($0) } }
        }
    }

    /// One post; `nil` where there is none.
    public func post(_ id: String) -> NovaPostSnapshot? {
        withState { $0.posts[id].map { NovaPostSnapshot($0) } }
    }

    /// The account of a person; `nil` where there is none.
    public func account(_ id: String) -> NovaAccountSnapshot? {
        withState { $0.accounts[id].map { NovaAccountSnapshot($0) } }
    }

    /// The account of an e-mail address; `nil` where there is none.
    public func account(email: String) -> NovaAccountSnapshot? {
        withState { $0.account(email: email).map { NovaAccountSnapshot($0) } }
    }

    /// The account of an identity at Apple; `nil` where there is none.
    public func account(appleSubject: String) -> NovaAccountSnapshot? {
        withState { $0.account(apple: appleSubject).map { NovaAccountSnapshot($0) } }
    }

    /// The events of analytics that were taken, as they came, oldest first; repetitions by `event_id` are left out.
    public var analytics: [JSONValue] { withState { $0.analytics.entries } }

    // MARK: Acting

    /// Says where clients reach the storage from now on: a URL without a path.
    public func setStorageURL(_ url: String) { withState { $0.storageURL = url } }

    /// Gives a person what signing in would give.
    public func makeTokens(for userID: String) -> (access: String, refresh: String) {
        let (family, refresh) = withState { $0.sessions.begin(for: userID, at: .now) }
        return (accessToken(for: userID, family: family), refresh)
    }

    /// Revokes all access tokens that were given: the next call with one of them is refused with 401.
    public func revokeAccessTokens() { withState { $0.sessions.revokeAllAccess() } }

    /// Ends all sign-ins of a person, with all tokens.
    public func endSessions(of userID: String) { withState { $0.sessions.endAll(of: userID) } }

    /// Has a person publish a post with a drawn picture, and returns its ID.
    @discardableResult
    public func publish(by userID: String, caption: String? = nil) -> String {
        withState { state in
            let post = PostRow(
                id: state.freshID("post"),
                authorID: userID,
                picture: .drawn,
                caption: caption,
                created: Date()
            )
            precondition(state.accounts[userID] != nil, "“\(userID)” has no account")
            state.add(post)
            return post.id
        }
    }

    /// Removes a post, if it is there.
    public func removePost(_ id: String) { withState { $0.removePost(id) } }

    /// Has a person like a post, if it is there.
    public func like(_ postID: String, by userID: String) {
        withState { _ = $0.like(postID, by: userID, at: Date()) }
    }

    /// Has a person take a like back, if there is one.
    public func unlike(_ postID: String, by userID: String) { withState { $0.unlike(postID, by: userID) } }

    /// Has a person write a comment, and returns its ID; `nil` where there is no such post.
    @discardableResult
    public func comment(_ postID: String, by userID: String, text: String) -> String? {
        withState { state in
            state.posts[postID] == nil ? nil : state.comment(postID, text, by: userID, at: Date()).id
        }
    }

    /// Has a person follow another.
    public func follow(_ userID: String, by followerID: String) {
        withState { $0.follow(userID, by: followerID, at: Date()) }
    }

    /// Tells a person of what another has done, with any type, such as one that the app does not know.
    public func notify(_ userID: String, type: String, by actorID: String, postID: String? = nil) {
        withState { state in
            let now = Date()
            state.note(.notice(user: userID, type: type, actor: actorID, post: postID, time: now))
            state.notify(userID, of: type, by: actorID, post: postID, at: now)
        }
    }
}
