import Foundation
import PeerKit

/// All that the simulated service knows.
struct NovaState: ~Copyable {
    /// Rows of analytics that are kept.
    static let mostEvents = 100_000
    /// Keys for uploads that are remembered.
    static let mostKeys = 100_000

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
    private(set) var uploadKeys: [String: String] = [:]
    private(set) var analytics = BoundedLog<JSONValue>(capacity: mostEvents)
    private var analyticsIDs: Set<String> = []
    private var written = WrittenPosts()
    /// How many things of each kind there have been.
    private var counts: [String: Int] = [:]
    /// What has changed and is not in the folder yet, oldest first.
    private var unwritten: [NovaChange] = []
    /// Whether changes are noted for a folder.
    private(set) var isKept = false

    /// A state with the settings of a project, and nothing else.
    init(_ project: NovaProject) {
        storageURL = project.storageURL
        sessions = Sessions(lifetime: project.refreshLifetime, grace: project.grace)
        idempotency = IdempotencyRecords(window: project.idempotencyWindow, lease: project.idempotencyLease)
    }

    /// A state with the content of a project.
    init(_ project: NovaProject, now: Date) {
        self.init(project)
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
        if accounts[account.id] != nil { written.forgetAll() }
        note(.account(account))
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
        written.forgetAll()
        note(.account(account))
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
        note(.accountRemoved(id))
    }

    // MARK: Posts

    mutating func add(_ post: PostRow) {
        note(.post(post))
        posts[post.id] = post
        order.append(post.id)
        accounts[post.authorID]?.postIDs.append(post.id)
        log.append(.posted(postID: post.id, userID: post.authorID))
    }

    mutating func removePost(_ id: String) {
        guard let post = posts.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        accounts[post.authorID]?.postIDs.removeAll { $0 == id }
        written.forget(id)
        log.append(.postRemoved(postID: id))
        note(.postRemoved(id))
    }

    /// Has somebody like a post, and says whether that is new.
    @discardableResult
    mutating func like(_ post: String, by user: String, at now: Date) -> Bool {
        guard posts[post]?.likers.insert(user).inserted == true else { return false }
        log.append(.liked(postID: post, userID: user))
        note(.like(post: post, user: user, time: now))
        notify(posts[post]?.authorID ?? "", of: "like", by: user, post: post, at: now)
        return true
    }

    mutating func unlike(_ post: String, by user: String) {
        guard posts[post]?.likers.remove(user) != nil else { return }
        log.append(.unliked(postID: post, userID: user))
        note(.unlike(post: post, user: user))
    }

    mutating func comment(_ post: String, _ text: String, by user: String, at now: Date) -> CommentRow {
        let comment = CommentRow(id: freshID("comment"), authorID: user, text: text, created: now)
        posts[post]?.comments.append(comment)
        log.append(.commented(commentID: comment.id, postID: post, userID: user))
        note(.comment(post: post, text: text, user: user, time: now))
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
        note(.follow(user: user, follower: follower, time: now))
        notify(user, of: "follow", by: follower, at: now)
    }

    /// Posts as a JSON array; those whose author is gone are left out.
    mutating func write(_ ids: some Sequence<String>, _ writer: NovaWriter, to json: inout JSONWriter) {
        json.append("[")
        var isFirst = true
        for id in ids {
            guard let post = posts[id], let author = accounts[post.authorID] else { continue }
            if !isFirst { json.append(",") }
            isFirst = false
            written.write(post, by: author, writer, to: &json)
        }
        json.append("]")
    }

    // MARK: Uploads, analytics

    /// Notes whose a key for an upload is; keys that are never used are forgotten at last.
    mutating func remember(_ key: String, of user: String) {
        if uploadKeys.count >= Self.mostKeys { uploadKeys = [:] }
        uploadKeys[key] = user
        note(.uploadKey(key, user: user))
    }

    /// Adds events of analytics, each once by its ID, and says how many were new.
    @discardableResult
    mutating func add(_ events: [JSONValue]) -> Int {
        var added: [JSONValue] = []
        for event in events {
            if let id = event["event_id"]?.string {
                if analyticsIDs.count >= Self.mostEvents { analyticsIDs = [] }
                guard analyticsIDs.insert(id).inserted else { continue }
            }
            analytics.append(event)
            added.append(event)
        }
        if !added.isEmpty { note(.events(added)) }
        return added.count
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

// MARK: Keeping

extension NovaState {
    /// Notes a change for the folder, where there is one.
    mutating func note(_ change: NovaChange) { if isKept { unwritten.append(change) } }

    /// From here on changes are noted.
    mutating func keep() { isKept = true }

    /// What has changed since this was asked last.
    mutating func takeChanges() -> [NovaChange] {
        let clock = KeptClock()
        let calls = KeptCalls(
            counts: counts,
            tokenCount: sessions.tokenCount,
            families: sessions.takeChanges(clock),
            answers: idempotency.takeChanges(clock)
        )
        defer { unwritten = [] }
        guard !unwritten.isEmpty || !calls.families.isEmpty || !calls.answers.isEmpty else { return [] }
        return unwritten + [.calls(calls)]
    }

    /// Everything; what has changed is in it.
    mutating func takeAll() -> NovaKept {
        _ = takeChanges()
        let clock = KeptClock()
        return NovaKept(
            accounts: accounts.values.sorted { $0.id < $1.id },
            posts: order.compactMap { posts[$0] },
            uploadKeys: uploadKeys,
            events: analytics.entries,
            calls: KeptCalls(
                counts: counts,
                tokenCount: sessions.tokenCount,
                families: sessions.all(clock),
                answers: idempotency.all(clock)
            )
        )
    }

    /// A state with what was kept, and nothing of the project but its settings and the passwords of its people.
    init(_ project: NovaProject, _ kept: NovaKept, _ changes: [NovaChange]) {
        self.init(project)
        let clock = KeptClock()
        for account in kept.accounts { add(account) }
        for post in kept.posts {
            posts[post.id] = post
            order.append(post.id)
        }
        uploadKeys = kept.uploadKeys
        add(kept.events)
        restore(kept.calls, clock)
        for change in changes { redo(change, clock) }
        for user in project.users {
            accounts[user.id]?.password = PasswordDigest(user.password, salt: user.id)
        }
        log = BoundedLog(capacity: log.capacity)
    }

    private mutating func restore(_ calls: KeptCalls, _ clock: KeptClock) {
        counts = calls.counts
        sessions.restore(calls.families, tokenCount: calls.tokenCount, clock)
        idempotency.restore(calls.answers, clock)
    }

    private mutating func redo(_ change: NovaChange, _ clock: KeptClock) {
        switch change {
        case .account(let account): add(account)
        case .accountRemoved(let id): removeAccount(id)
        case .post(let post): add(post)
        case .postRemoved(let id): removePost(id)
        case .like(let post, let user, let time): like(post, by: user, at: time)
        case .unlike(let post, let user): unlike(post, by: user)
        case .comment(let post, let text, let user, let time): _ = comment(post, text, by: user, at: time)
        case .follow(let user, let follower, let time): follow(user, by: follower, at: time)
        case .notice(let user, let type, let actor, let post, let time):
            notify(user, of: type, by: actor, post: post, at: time)
        case .uploadKey(let key, let user): remember(key, of: user)
        case .events(let events): add(events)
        case .calls(let calls): restore(calls, clock)
        }
    }
}
