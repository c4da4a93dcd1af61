internal import AppKernel

/// All that is known of people, posts, comments and notifications, once, by their names.
///
/// Kept is what Nova has said last, with what was done since; what waits in the log is folded over it whenever somebody looks. A reading takes its number before
/// Nova is asked: when it lands, what was done since is done over it, and where something was read or changed later, that stays.
@MainActor
final class NovaStore {
    /// A reading of Nova, or an answer to a change.
    struct Reading {
        fileprivate let number: Int
        let position: Int64
    }

    private struct Known<Value> {
        var value: Value
        var number: Int
        /// Of a post: the comments of the person that its count may hold though Nova has not said that it has them.
        var counted: Set<String> = []
    }

    /// What has become of something that came.
    private enum Keeping {
        /// Something newer is known.
        case refused
        /// It is known, and was the same before or not.
        case kept(isOther: Bool)
        /// It is known, and others are not any more.
        case keptForOthers
    }

    /// How many posts, and how many of everything else, are known at most.
    private let most: Int

    private(set) var log = LogState()
    private var users: [String: Known<User>] = [:]
    private var posts: [String: Known<Post>] = [:]
    private var comments: [String: Known<Comment>] = [:]
    private var notifications: [String: Known<NovaNotification>] = [:]
    private var readings = 0
    /// Which posts may look different since the last look, see ``post(_:)``.
    private(set) var changes = ChangedPosts()

    init(most: Int = 5_000) { self.most = most }

    /// Begins a reading, or takes note of the answer to a change, which is as new as can be.
    func begin() -> Reading {
        readings += 1
        return Reading(number: readings, position: log.position)
    }

    /// A reading of what was kept, which is older than all others.
    func kept(at position: Int64) -> Reading { Reading(number: 0, position: position) }

    /// A post as Nova has it, as far as is known: without what waits; `nil` where nothing is known of it.
    func confirmed(_ id: String) -> Post? { posts[id]?.value }

    // MARK: Looking

    /// A person; with the name alone where nothing else is known.
    func user(_ id: String) -> User { users[id]?.value ?? User(id: id) }

    /// A post as it is shown; `nil` where nothing is known of it.
    func post(_ id: String) -> PostCard? {
        guard var post = posts[id].map({ log.fold($0.value) }) else { return nil }
        post.author = users[post.author.id]?.value ?? post.author
        return PostCard(post: post, isPending: log.wish(for: id) != nil)
    }

    /// A comment; `nil` where nothing is known of it.
    func comment(_ id: String) -> Comment? {
        guard var comment = comments[id]?.value else { return nil }
        comment.author = users[comment.author.id]?.value ?? comment.author
        return comment
    }

    /// A notification; `nil` where nothing is known of it.
    func notification(_ id: String) -> NovaNotification? { notifications[id]?.value }

    // MARK: What Nova says

    func take(_ user: User, of reading: Reading) {
        var user = user
        // Lists leave out what the profile has.
        if let known = users[user.id]?.value {
            user.followersCount = user.followersCount ?? known.followersCount
            user.followingCount = user.followingCount ?? known.followingCount
            user.postsCount = user.postsCount ?? known.postsCount
        }
        switch keep(user, in: &users, reading) {
        case .refused, .kept(isOther: false): break
        // Anybody may be the author of any post.
        case .kept(isOther: true), .keptForOthers: changes.noteAll()
        }
    }

    func take(_ found: [Post], of reading: Reading) {
        for post in found {
            take(post.author, of: reading)
            var post = Known(value: post, number: reading.number)
            let since = log.done(after: reading.position)
            if reading.number > 0 { settleCount(of: &post, since) }
            for done in since { Self.apply(done, to: &post) }
            keep(post)
        }
    }

    /// Decides on the comment count of a post that was read while the person's own comments were under way: nobody knows whether it holds them.
    ///
    /// The count that was known stays, to which each of them is added when it is done; where none was known, they count as held.
    private func settleCount(of post: inout Known<Post>, _ since: ArraySlice<DoneWork>) {
        let id = post.value.id
        let done = since.filter { done in
            if case .commented(let comment) = done.effect { comment.postID == id } else { false }
        }
        let underWay = log.attemptedComments(on: id) + done.map(\.identity)
        guard !underWay.isEmpty else { return }
        guard let known = posts[id] else {
            post.counted = Set(underWay)
            return
        }
        post.value.commentCount = known.value.commentCount
        // What was done since the reading began is in that count already.
        post.counted = known.counted.union(done.map(\.identity))
    }

    func take(_ found: [Comment], of reading: Reading) {
        for comment in found {
            take(comment.author, of: reading)
            keep(comment, in: &comments, reading)
        }
    }

    func take(_ found: [NovaNotification], of reading: Reading) {
        for notification in found {
            take(notification.actor, of: reading)
            keep(notification, in: &notifications, reading)
        }
    }

    private func keep(_ post: Known<Post>) {
        switch keep(post, in: &posts) {
        case .refused, .kept(isOther: false): break
        case .kept(isOther: true): changes.note(post.value.id)
        // One that is not known any more looks different, too.
        case .keptForOthers: changes.noteAll()
        }
    }

    @discardableResult
    private func keep<Value: Identifiable & Equatable>(
        _ value: Value,
        in known: inout [Value.ID: Known<Value>],
        _ reading: Reading
    ) -> Keeping {
        keep(Known(value: value, number: reading.number), in: &known)
    }

    /// Keeps what is not older than what is known.
    private func keep<Value: Identifiable & Equatable>(
        _ new: Known<Value>,
        in known: inout [Value.ID: Known<Value>]
    ) -> Keeping {
        let id = new.value.id
        let former = known[id]
        guard former.map({ $0.number <= new.number }) ?? true else { return .refused }
        known[id] = new
        guard known.count > most else { return .kept(isOther: former?.value != new.value) }
        let middle = known.values.map(\.number).sorted()[most / 2]
        known = known.filter { $0.value.number > middle || $0.key == id }
        return .keptForOthers
    }

    // MARK: What the person does

    /// Takes the log as it is now, and returns what was done since.
    func take(_ new: LogState) -> ArraySlice<DoneWork> {
        let done = new.done(after: log.position)
        for id in new.posts(withOtherWishesThan: log) { changes.note(id) }
        log = new
        for done in done {
            switch done.effect {
            case .liked(let postID, _): apply(done, to: postID)
            case .commented(let comment):
                // Of its author nothing new is known.
                keep(comment, in: &comments, begin())
                apply(done, to: comment.postID)
            case .published: break
            }
        }
        return done
    }

    private func apply(_ done: DoneWork, to postID: String) {
        guard var known = posts[postID] else { return }
        Self.apply(done, to: &known)
        posts[postID] = known
        changes.note(postID)
    }

    private static func apply(_ done: DoneWork, to post: inout Known<Post>) {
        switch done.effect {
        case .liked(post.value.id, let isLiked): post.value = post.value.liked(isLiked)
        case .commented(let comment)
        where comment.postID == post.value.id && !post.counted.contains(done.identity):
            post.value.commentCount += 1
        default: break
        }
    }
}

/// A post as it is shown.
public struct PostCard: Codable, Hashable, Sendable, Identifiable {
    /// What Nova calls the post; a member of its own, by which pages tell what has changed in a list.
    public let id: String
    /// The post, with what the person has done, also where Nova does not have that yet.
    public var post: Post
    /// Whether a wish of the person for it waits.
    public var isPending: Bool

    init(post: Post, isPending: Bool) { (id, self.post, self.isPending) = (post.id, post, isPending) }
}
