import Foundation
import PeerKit

/// All that the simulated service knows.
struct NovaState: ~Copyable {
    /// Rows of analytics that are kept.
    static let mostEvents = 100_000

    var log = BoundedLog<NovaEvent>(capacity: 100_000)
    var requestCount = 0
    var storageURL: String
    /// By their IDs.
    private(set) var accounts: [String: Account] = [:]
    private var idsByEmail: [String: String] = [:]
    private var idsByUsername: [String: String] = [:]
    private var idsByApple: [String: String] = [:]
    /// By their IDs.
    private(set) var posts: [String: PostRow] = [:]
    /// The IDs of all posts, oldest first.
    private(set) var order: [String] = []
    var sessions: Sessions
    var idempotency: IdempotencyRecords
    var rates = RateCounters()
    /// Whose each key for an upload is.
    var uploadKeys: [String: String] = [:]
    var analytics = BoundedLog<JSONValue>(capacity: mostEvents)
    var analyticsIDs: Set<String> = []
    /// How many things of each kind there have been.
    private var counts: [String: Int] = [:]

    init(_ project: NovaProject, now: Date) {
        storageURL = project.storageURL
        sessions = Sessions(lifetime: project.refreshLifetime, grace: project.grace)
        idempotency = IdempotencyRecords(window: project.idempotencyWindow, lease: project.idempotencyLease)
        fill(project, now: now)
    }

    /// An identifier that nothing has had.
    mutating func freshID(_ kind: String) -> String {
        while true {
            let id = OpaqueID.text(kind, freshNumber(kind))
            if accounts[id] == nil, posts[id] == nil { return id }
        }
    }

    /// A number that nothing of that kind has had.
    mutating func freshNumber(_ kind: String) -> Int {
        counts[kind, default: 0] += 1
        return counts[kind, default: 0]
    }

    // MARK: Accounts

    func account(email: String) -> Account? { idsByEmail[email.lowercased()].flatMap { accounts[$0] } }
    func account(username: String) -> Account? {
        idsByUsername[username.lowercased()].flatMap { accounts[$0] }
    }
    func account(apple subject: String) -> Account? { idsByApple[subject].flatMap { accounts[$0] } }

    mutating func add(_ account: Account) {
        accounts[account.id] = account
        idsByUsername[account.username.lowercased()] = account.id
        if let email = account.email { idsByEmail[email] = account.id }
        if let subject = account.appleSubject { idsByApple[subject] = account.id }
    }

    /// Changes what is no key of an account, where the account is there.
    mutating func change(_ id: String, _ body: (inout Account) -> Void) {
        // Taken out, so that there is one holder and nothing is copied.
        guard var account = accounts.removeValue(forKey: id) else { return }
        body(&account)
        accounts[id] = account
    }

    /// Removes an account with all that it has done.
    mutating func removeAccount(_ id: String) {
        guard let account = accounts.removeValue(forKey: id) else { return }
        idsByUsername[account.username.lowercased()] = nil
        if let email = account.email { idsByEmail[email] = nil }
        if let subject = account.appleSubject { idsByApple[subject] = nil }
        for post in account.postIDs { removePost(post) }
        for post in order {
            posts[post]?.likers.remove(id)
            posts[post]?.comments.removeAll { $0.authorID == id }
        }
        for other in accounts.keys {
            accounts[other]?.followers.remove(id)
            accounts[other]?.following.remove(id)
        }
        sessions.endAll(of: id)
        log.append(.accountRemoved(userID: id))
    }

    // MARK: Posts

    mutating func add(_ post: PostRow) {
        posts[post.id] = post
        order.append(post.id)
        accounts[post.authorID]?.postIDs.append(post.id)
        log.append(.posted(postID: post.id, userID: post.authorID))
    }

    mutating func removePost(_ id: String) {
        guard let post = posts.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        accounts[post.authorID]?.postIDs.removeAll { $0 == id }
        log.append(.postRemoved(postID: id))
    }

    /// Has somebody like a post, and says whether that is new.
    @discardableResult
    mutating func like(_ post: String, by user: String, at now: Date) -> Bool {
        guard posts[post]?.likers.insert(user).inserted == true else { return false }
        log.append(.liked(postID: post, userID: user))
        notify(posts[post]?.authorID ?? "", of: "like", by: user, post: post, at: now)
        return true
    }

    mutating func unlike(_ post: String, by user: String) {
        guard posts[post]?.likers.remove(user) != nil else { return }
        log.append(.unliked(postID: post, userID: user))
    }

    mutating func comment(_ post: String, _ text: String, by user: String, at now: Date) -> CommentRow {
        let comment = CommentRow(id: freshID("comment"), authorID: user, text: text, created: now)
        posts[post]?.comments.append(comment)
        log.append(.commented(commentID: comment.id, postID: post, userID: user))
        let author = posts[post]?.authorID ?? ""
        notify(author, of: "comment", by: user, post: post, comment: comment.id, at: now)
        return comment
    }

    mutating func follow(_ user: String, by follower: String, at now: Date) {
        guard user != follower, accounts[follower] != nil,
            accounts[user]?.followers.insert(follower).inserted == true
        else { return }
        accounts[follower]?.following.insert(user)
        log.append(.followed(userID: user, followerID: follower))
        notify(user, of: "follow", by: follower, at: now)
    }

    // MARK: Notifications

    /// Tells somebody of what another has done; a second like of the same post is no news.
    mutating func notify(
        _ user: String,
        of type: String,
        by actor: String,
        post: String? = nil,
        comment: String? = nil,
        isRead: Bool = false,
        at now: Date
    ) {
        guard user != actor, accounts[user] != nil else { return }
        if type == "like", let post {
            let like = LikeOfPost(userID: actor, postID: post)
            guard accounts[user]?.knownLikes.insert(like).inserted == true else { return }
        }
        let row = NotificationRow(
            id: freshID("notification"),
            type: type,
            actorID: actor,
            postID: post,
            commentID: comment,
            isRead: isRead,
            created: now
        )
        accounts[user]?.notifications.append(row)
        log.append(.notified(userID: user, type: type))
    }
}
