internal import AppKernel
internal import Concurrency
internal import Foundation
internal import GRDB
internal import ServiceClient
internal import Services

/// All that belongs to one person: what is known, what waits, and the lists.
@MainActor
final class NovaSession {
    /// Something that the person has to know, because the screen on which it was done may be gone.
    struct Notice: Sendable, Hashable {
        var id: Int
        var text: String
    }

    /// How often the queue is worked on without any other reason.
    static let period: Duration = .seconds(60)
    /// How long a publication is waited for at most.
    private static let patience: Duration = .seconds(30)
    /// How many lists of comments and of profiles, and how many notices are kept at most.
    private static let most = 50

    /// The person.
    nonisolated let userID: String
    let store = NovaStore()
    private(set) var feed: Feed
    private(set) lazy var notifications = PagedList(changed: changed) { [api, store] page in
        let reading = store.begin()
        let found = try await api.notifications(page: page)
        store.take(found.items, of: reading)
        return PagedList.Found(ids: found.items.map(\.id), hasMore: found.hasMore)
    }
    private(set) var notices: [Notice] = []
    /// Whether Nova was reached when it was last tried for something that waits.
    let isConnected: CurrentValue<Bool>

    nonisolated let api: APIClient
    nonisolated let log: NovaLog
    private let worker: OutboxWorker<NovaEffect>
    private let network: any NetworkMonitor
    private let analytics: Analytics
    /// Counts changes of all that screens show.
    private let changes: CurrentValue<Int>
    private let changed: @MainActor () -> Void
    private let working = OwnedTasks()
    /// The reading of the feed for a post that is new there.
    private let refreshing = OwnedTasks()
    /// Counts what was added to the queue.
    private let added = CurrentValue(0, backlog: 1)
    private var comments: [(postID: String, list: PagedList)] = []
    private var profiles: [(userID: String, list: PagedList)] = []
    private var noticed = 0
    /// The counts of changes when the log was read last: of this connection, and of others.
    private var followed: [Int] = []
    /// Whether what was kept has been taken: what happens from then on is news.
    private var isOpen = false
    private var hasEnded = false

    /// Opens what is kept of a person; nothing is sent before ``start()``.
    ///
    /// - Throws: `DatabaseFailure`.
    init(
        of userID: String,
        _ api: APIClient,
        in database: AppDatabase,
        network: any NetworkMonitor,
        analytics: Analytics,
        changes: CurrentValue<Int>
    ) throws(DatabaseFailure) {
        (self.userID, self.network, self.analytics) = (userID, network, analytics)
        let api = api.tied(to: userID)
        self.api = api
        self.changes = changes
        changed = { changes.update { $0 += 1 } }
        log = try NovaLog(of: userID, in: database)
        isConnected = CurrentValue(true, backlog: 1)
        worker = OutboxWorker(
            outbox: log.outbox,
            effect: NovaEffect(api: api, log: log, isConnected: isConnected),
            isOnline: network.isConnected,
            pauseAfterFailure: Self.period
        )
        feed = Feed(api, store, log, changed)
        if let me = log.cached("me", as: User.self) { store.take(me.value, of: store.kept(at: 0)) }
        followLog()
        isOpen = true
    }

    /// The person, as far as is known.
    var user: User { store.user(userID) }

    /// Takes what Nova has said of the person, also for the next launch.
    func take(me user: User) {
        store.take(user, of: store.begin())
        log.cache(self.user, as: "me", position: 0)
        changed()
    }

    /// Whether Nova is reached, as far as the device and the last attempt say.
    var isReached: Bool { network.isConnected && isConnected.value }

    // MARK: Work

    /// Begins to work on what waits: when something is added, when the network is back, and each minute with a network in which something waits.
    func start() {
        let (worker, network, log, isConnected, added) = (worker, network, log, isConnected, added)
        working.replace(with: [
            Task { await worker.run() },
            Task { [weak self] in
                for await isOnline in network.changes() {
                    await worker.setOnline(isOnline)
                    self?.changed()
                }
            },
            Task { [weak self] in
                while (try? await Task.sleep(for: Self.period)) != nil {
                    guard network.isConnected, self?.isAnyWaiting() == true else { continue }
                    await self?.processQueue()
                }
            },
            Task { [weak self] in
                // Counts changes, for the log itself is read when it is taken.
                var changes = log.outbox.observe { $0.totalChangesCount }.makeAsyncIterator()
                while (try? await changes.next()) != nil { self?.followLog() }
            },
            Task { [weak self] in for await _ in isConnected.values(backlog: 1) { self?.changed() } },
            // What an outage has put off may go with what is new.
            Task { for await _ in added.values(backlog: 1) { await worker.setOnline(network.isConnected) } },
        ])
    }

    private func isAnyWaiting() -> Bool {
        followLog()
        return store.log.entries.contains { !$0.isFinal }
    }

    /// Works on all that waits, now.
    func processQueue() async {
        await worker.setOnline(network.isConnected)
        // What cannot be revived now is revived by the next one.
        try? log.outbox.revive()
        await worker.processQueue()
    }

    /// Ends what is under way; nothing is changed afterwards, and what waits is kept.
    func stop() async {
        hasEnded = true
        log.close()
        changed()
        await working.cancelAndWait()
        await refreshing.cancelAndWait()
    }

    /// Ends what is under way, and forgets the person.
    ///
    /// - Throws: ``NovaError/notForgotten``; all has ended then too.
    func forget() async throws(NovaError) {
        // First, so that no attempt begins any more; where it fails, it is tried again below.
        try? log.forgetAll()
        await stop()
        // What has ended meanwhile was left too.
        do { try log.forgetAll() } catch { throw .notForgotten }
    }

    /// Takes the log as it is now.
    private func followLog() {
        let (log, known, followed) = (log, store.log, followed)
        let read = try? log.database.read("read the log") { database -> (state: LogState, changes: [Int])? in
            // Of other connections SQLite tells that they have changed something, not what (sqlite.org/pragma.html#pragma_data_version).
            let others = try Int.fetchOne(database.cachedStatement(sql: "PRAGMA data_version")) ?? 0
            let changes = [database.totalChangesCount, others]
            guard changes != followed else { return nil }
            return (try log.state(after: known, in: database), changes)
        }
        guard let read else { return }
        self.followed = read.changes
        take(read.state)
    }

    private func take(_ state: LogState) {
        guard state != store.log else { return }
        let known = Set(store.log.entries.filter(\.isFinal).map(\.identity))
        let done = store.take(state)
        if isOpen { for done in done { note(done) } }
        for entry in state.entries where entry.isFinal {
            note(failed: entry, isNew: !known.contains(entry.identity))
        }
        changed()
    }

    private func note(_ done: DoneWork) {
        switch done.effect {
        case .liked: break
        case .commented(let comment):
            comments.first { $0.postID == comment.postID }?.list.putFirst(comment.id)
        case .published(let postID, let milliseconds):
            analytics.track(.uploadSuccess(postID: postID, milliseconds: milliseconds))
            guard !feed.list.isUntouched else { break }
            refreshing.replace(with: [Task { [feed] in await feed.refresh() }])
        }
    }

    /// Says what has failed for good, and drops a wish; nothing is said of one for a post that is gone.
    private func note(failed entry: OutboxEntry<NovaWork>, isNew: Bool) {
        let reason = entry.reason.map(Self.text) ?? ""
        switch entry.work {
        case .like(_, let isLiked):
            guard (try? log.outbox.remove(entry.identity)) == true else { return }
            if entry.reason != .failed(.notFound) {
                say("\(isLiked ? "Your like" : "That you do not like it any more") was not saved. \(reason)")
            }
        case .comment: if isNew, isOpen { say("Your comment was not sent. \(reason)") }
        case .publish: if isNew, isOpen { say("Your post was not published. \(reason)") }
        }
    }

    /// Why work has failed, for the person.
    static func text(_ reason: OutboxReason<NovaError>) -> String {
        switch reason {
        case .failed(let error): error.text
        case .expired: "It has waited for more than a day."
        case .interrupted, .stalled, .noted: "It could not be done."
        }
    }

    private func say(_ text: String) {
        noticed += 1
        notices.append(Notice(id: noticed, text: text))
        notices.removeFirst(max(0, notices.count - Self.most))
    }

    /// A notice was read.
    func dismiss(_ id: Int) {
        notices.removeAll { $0.id == id }
        changed()
    }

    // MARK: What the person does

    /// Changes the log in one transaction; what is shown follows before this returns.
    ///
    /// - Throws: ``NovaError/notKept``; ``NovaError/unauthorized`` after a sign-out, which something that was asked for before may outlast.
    private func change(_ operation: String, _ body: (Database) throws -> Void) throws(NovaError) {
        guard log.isKept else { throw .unauthorized }
        do { try log.database.write(operation, body) } catch { throw .notKept }
        followLog()
        added.update { $0 += 1 }
    }

    /// Likes what is not liked as it is shown, and the other way round: the newest wish takes the place of one that waits.
    func toggleLike(_ postID: String) throws(NovaError) {
        guard let card = store.post(postID) else { return }
        let (wish, outbox) = (!card.post.isLiked, log.outbox)
        try change("keep a wish") { database in
            let work = NovaWork.like(postID: postID, isLiked: wish)
            try outbox.supersede(work, identity: "like:\(postID)", in: database)
        }
        analytics.track(wish ? .postLike(postID) : .postUnlike(postID))
    }

    /// Comments on a post.
    ///
    /// - Throws: ``NovaError/tooMuchWaits``; ``NovaError/notKept``.
    func comment(on postID: String, _ text: String) throws(NovaError) {
        let waiting = store.log.entries.count { if case .comment = $0.work { true } else { false } }
        guard waiting < NovaLog.mostComments else { throw .tooMuchWaits }
        let outbox = log.outbox
        try change("keep a comment") { database in
            let identity = "comment:\(UUID().uuidString)"
            try outbox.add(.comment(postID: postID, text: text), identity: identity, in: database)
        }
        analytics.track(.commentCreate(postID: postID))
    }

    /// Publishes a picture: asks for a place first, without which nothing is kept.
    ///
    /// - Returns: What the publication is called in the log.
    /// - Throws: ``NovaError/tooMuchWaits``, ``NovaError/uploadNotPrepared``, ``NovaError/notKept``, `CancellationError`.
    func publish(_ picture: [UInt8], _ caption: String) async throws -> String {
        guard (try? log.hasRoom(forPicture: picture.count)) != false else { throw NovaError.tooMuchWaits }
        analytics.track(.uploadStart(bytes: picture.count))
        let place: Presigned
        do { place = try await api.presign() } catch {
            if error.code == .cancelled { throw CancellationError() }
            analytics.track(.uploadFail(error: NovaError.uploadNotPrepared.text))
            throw NovaError.uploadNotPrepared
        }
        // Nova was reached a moment ago.
        isConnected.set(true)
        let (id, log) = (UUID().uuidString, log)
        var isKept = false
        try change("keep a publication") { database in
            // Another window may have published meanwhile.
            isKept = try log.hasRoom(forPicture: picture.count, in: database)
            guard isKept else { return }
            try log.keep(picture, as: id, in: database)
            let work = NovaWork.publish(pictureID: id, caption: caption, place: place)
            try log.outbox.add(work, identity: "publish:\(id)", in: database)
        }
        guard isKept else { throw NovaError.tooMuchWaits }
        return "publish:\(id)"
    }

    /// Waits until a publication is done, or its first try has come to nothing, for half a minute at most: it may be behind others that wait for hours.
    ///
    /// - Returns: Whether it is done.
    func settles(_ identity: String) async -> Bool {
        await withDeadline(Self.patience) { await self.isSettled(identity) } ?? false
    }

    private func isSettled(_ identity: String) async -> Bool {
        for await _ in changes.values(backlog: 1) {
            if store.log.done.contains(where: { $0.identity == identity }) { return true }
            guard !hasEnded, let entry = store.log.entries.first(where: { $0.identity == identity }),
                entry.failures == 0, !entry.isFinal, isConnected.value
            else { return false }
        }
        return false
    }

    /// Does again what has failed for good.
    ///
    /// What has waited too long is new to Nova. So is a post that Nova does not take as it is: what was uploaded for it may be gone, so it is
    /// uploaded again, to another place and under another key.
    func retry(_ identity: String) throws(NovaError) {
        guard let entry = store.log.entries.first(where: { $0.identity == identity }) else { return }
        let outbox = log.outbox
        try change("repeat what has failed") { database in
            switch (entry.reason, entry.work) {
            case (.failed(.invalid), .publish(let pictureID, let caption, var place)):
                place.ends = .distantPast
                let work = NovaWork.publish(pictureID: pictureID, caption: caption, place: place)
                try outbox.replace(work, identity: identity, in: database)
            case (.expired, _): try outbox.replace(entry.work, identity: identity, in: database)
            default: try outbox.retry(identity, in: database)
            }
        }
    }

    /// Takes back what waits or has failed.
    func discard(_ identity: String) throws(NovaError) {
        guard let entry = store.log.entries.first(where: { $0.identity == identity }) else { return }
        let log = log
        try change("take something back") { database in
            try log.outbox.cancel(identity, in: database)
            if case .publish(let pictureID, _, _) = entry.work {
                try log.forgetPicture(pictureID, in: database)
            }
        }
    }

    // MARK: Lists

    /// The comments on a post, the newest first.
    func comments(on postID: String) -> PagedList {
        if let known = comments.first(where: { $0.postID == postID }) { return known.list }
        let list = PagedList(changed: changed) { [api, store] page in
            let reading = store.begin()
            let found = try await api.comments(of: postID, page: page)
            store.take(found.items, of: reading)
            // Comments that were done while Nova was asked.
            let done = page > 0 ? [] : store.log.done(after: reading.position).reversed()
            let newer = done.compactMap { done -> String? in
                guard case .commented(let comment) = done.effect, comment.postID == postID,
                    !found.items.contains(where: { $0.id == comment.id })
                else { return nil }
                return comment.id
            }
            return PagedList.Found(ids: newer + found.items.map(\.id), hasMore: found.hasMore)
        }
        comments.append((postID, list))
        comments.removeFirst(max(0, comments.count - Self.most))
        return list
    }

    /// The newest posts of a person, read together with the person.
    func profile(of userID: String) -> PagedList {
        if let known = profiles.first(where: { $0.userID == userID }) { return known.list }
        let list = PagedList(changed: changed) { [weak self, api, store] _ in
            let reading = store.begin()
            let profile = try await api.profile(of: userID)
            store.take(profile.user, of: reading)
            store.take(profile.posts, of: reading)
            if let self, userID == self.userID { log.cache(user, as: "me", position: 0) }
            return PagedList.Found(ids: profile.posts.map(\.id), hasMore: false)
        }
        profiles.append((userID, list))
        profiles.removeFirst(max(0, profiles.count - Self.most))
        return list
    }
}
